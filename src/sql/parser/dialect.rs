//! The SQL that sqlparser shall accept.

use super::{cursor, types};
use sqlparser::ast::{BinaryOperator, DataType, Expr, UnaryOperator};
use sqlparser::dialect::{Dialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

/// Our dialect. The tokens come from `sql::lexer`, so nothing here is about characters.
#[derive(Debug)]
pub struct Votedb;

/// How `x STARTS WITH y` travels through sqlparser, which doesn't have it.
pub const STARTS_WITH: &str = "STARTS WITH";

/// Words that can't be a name unless quoted; sorted.
const RESERVED: &[&str] = &[
    "ALL",
    "AND",
    "AS",
    "BY",
    "CREATE",
    "CROSS",
    "DELETE",
    "DISTINCT",
    "DO",
    "DROP",
    "ELSE",
    "ELSEIF",
    "END",
    "EXCEPT",
    "FETCH",
    "FROM",
    "FULL",
    "GROUP",
    "HAVING",
    "INNER",
    "INSERT",
    "INTERSECT",
    "INTO",
    "JOIN",
    "LIMIT",
    "NATURAL",
    "OFFSET",
    "ON",
    "OR",
    "ORDER",
    "OUTER",
    "RETURNING",
    "SELECT",
    "SET",
    "TABLE",
    "THEN",
    "UNION",
    "UPDATE",
    "UPSERT",
    "USING",
    "VALUES",
    "WHEN",
    "WHERE",
    "WITH",
];

/// Further words that can't be an alias without AS, since something else starts with them; sorted.
const NO_ALIAS: &[&str] = &[
    "ASC",
    "BETWEEN",
    "CASE",
    "COLLATE",
    "DESC",
    "ESCAPE",
    "FOR",
    "IF",
    "ILIKE",
    "IN",
    "IS",
    "LATERAL",
    "LEFT",
    "LIKE",
    "LOOP",
    "MINUS",
    "NOT",
    "NULL",
    "NULLS",
    "OVER",
    "QUALIFY",
    "RETURN",
    "RIGHT",
    "TABLESAMPLE",
    "TOP",
    "WHILE",
    "WINDOW",
];

/// Whether this word, unquoted and in any case, can't be a name.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word.to_ascii_uppercase().as_str()).is_ok()
}

fn is_alias(parser: &Parser) -> bool {
    match &parser.get_current_token().token {
        Token::Word(word) if word.quote_style.is_none() => {
            !is_reserved(&word.value) && NO_ALIAS.binary_search(&word.value.to_ascii_uppercase().as_str()).is_err()
        }
        Token::Word(_) => true,
        _ => false,
    }
}

/// Does STARTS WITH, or NOT STARTS WITH, come next? Then: is it negated?
fn starts_with_ahead(parser: &Parser) -> Option<bool> {
    let keyword = |n: usize, keyword: Keyword| match &parser.peek_nth_token_ref(n).token {
        Token::Word(word) => word.keyword == keyword,
        _ => false,
    };
    let negated = keyword(0, Keyword::NOT);
    let first = usize::from(negated);
    (keyword(first, Keyword::STARTS) && keyword(first + 1, Keyword::WITH)).then_some(negated)
}

impl Dialect for Votedb {
    fn is_identifier_start(&self, c: char) -> bool {
        crate::sql::lexer::starts_name(c)
    }

    fn is_identifier_part(&self, c: char) -> bool {
        crate::sql::lexer::continues_name(c)
    }

    /// Refuses reserved words as names before sqlparser takes them for columns.
    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        match &parser.peek_token_ref().token {
            // TIME_WINDOW's last argument.
            Token::Word(word)
                if word.keyword == Keyword::END && parser.peek_nth_token_ref(1).token == Token::RParen =>
            {
                None
            }
            Token::Word(word) if word.quote_style.is_none() && is_reserved(&word.value) => {
                Some(parser.expected_ref("an expression", parser.peek_token_ref()))
            }
            _ => None,
        }
    }

    fn parse_infix(&self, parser: &mut Parser, left: &Expr, _: u8) -> Option<Result<Expr, ParserError>> {
        let negated = starts_with_ahead(parser)?;
        // Truth values are no text; and a chain of these would be cloned again at each link.
        if matches!(left, Expr::BinaryOp { op: BinaryOperator::Custom(_), .. } | Expr::UnaryOp { .. }) {
            return Some(parser.expected_ref("text before STARTS WITH", parser.peek_token_ref()));
        }
        for _ in 0..2 + usize::from(negated) {
            parser.advance_token();
        }
        let right = match parser.parse_subexpr(self.prec_value(Precedence::Like)) {
            Ok(right) => right,
            Err(error) => return Some(Err(error)),
        };
        let op = BinaryOperator::Custom(STARTS_WITH.to_owned());
        let test = Expr::BinaryOp { left: Box::new(left.clone()), op, right: Box::new(right) };
        Some(Ok(if negated { Expr::UnaryOp { op: UnaryOperator::BangNot, expr: Box::new(test) } } else { test }))
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        starts_with_ahead(parser).map(|_| Ok(self.prec_value(Precedence::Like)))
    }

    /// Names that are no type of ours come back as `DataType::Custom`: sqlparser also asks where a type may stand but
    /// need not, so only who needs one can complain.
    fn parse_data_type(&self, parser: &mut Parser) -> Option<Result<DataType, ParserError>> {
        Some(types::parse_for_sqlparser(parser).map_err(cursor::to_parser_error))
    }

    fn is_reserved_for_identifier(&self, keyword: Keyword) -> bool {
        matches!(
            keyword,
            Keyword::CASE
                | Keyword::CAST
                | Keyword::EXISTS
                | Keyword::EXTRACT
                | Keyword::NOT
                | Keyword::NULL
                | Keyword::OVERLAY
                | Keyword::SUBSTRING
                | Keyword::TRIM
        )
    }

    fn is_column_alias(&self, _: &Keyword, parser: &mut Parser) -> bool {
        is_alias(parser)
    }

    fn is_table_alias(&self, _: &Keyword, parser: &mut Parser) -> bool {
        is_alias(parser)
    }

    fn is_table_factor_alias(&self, explicit: bool, _: &Keyword, parser: &mut Parser) -> bool {
        match &parser.get_current_token().token {
            Token::Word(word) if explicit => word.quote_style.is_some() || !is_reserved(&word.value),
            _ => is_alias(parser),
        }
    }

    fn supports_string_literal_column_alias(&self, _explicit: bool) -> bool {
        false
    }

    fn supports_string_literal_table_alias(&self, _explicit: bool) -> bool {
        false
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }

    fn allow_extract_custom(&self) -> bool {
        true
    }

    /// Read so that it can be refused clearly.
    fn supports_limit_comma(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_parens_around_table_factor(&self) -> bool {
        true
    }

    fn supports_top_before_distinct(&self) -> bool {
        true
    }

    fn supports_comparison_in_between_low_bound(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_of_words_are_sorted() {
        assert!(RESERVED.is_sorted());
        assert!(NO_ALIAS.is_sorted());
    }
}
