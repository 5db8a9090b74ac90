//! Expressions: sqlparser's tree to ours.

use super::cursor::{NESTING_MAX, too_deep};
use super::dialect::STARTS_WITH;
use super::source::{self, Source};
use super::{literal, types};
use crate::sql::ast::{self, BinaryOp, Expr, ExprKind, Ident, Query, UnaryOp};
use crate::sql::{Span, SqlError};
use crate::types::{DataType, Name, Value};
use sqlparser::ast as theirs;
use theirs::{BinaryOperator, UnaryOperator};

/// Operators other than AND and OR in a row: later rooms walk their chain by recursion.
pub const CHAIN_MAX: usize = 400;

/// Schemas of system tables: no other name has two parts.
const SYSTEM_SCHEMAS: [&str; 2] = ["sys", "information_schema"];

/// Translates by value, so that no long chain is left for sqlparser's recursive drop.
#[derive(Clone, Copy)]
pub struct Translator<'a> {
    pub source: &'a Source<'a>,
    /// How deep the node at hand lies, chains counted in.
    depth: usize,
    /// How many calls of `expr` are under way.
    nesting: usize,
}

type Result<T> = std::result::Result<T, SqlError>;

impl<'a> Translator<'a> {
    pub fn new(source: &'a Source<'a>) -> Translator<'a> {
        Translator { source, depth: 0, nesting: 0 }
    }

    /// For what lies `levels` deeper; an error past the limit.
    pub fn deeper(self, levels: usize, span: Span) -> Result<Translator<'a>> {
        let (depth, nesting) = (self.depth + levels, self.nesting + 1);
        if nesting > NESTING_MAX || depth > NESTING_MAX + CHAIN_MAX {
            return Err(too_deep(span));
        }
        Ok(Translator { depth, nesting, ..self })
    }

    pub fn exprs(self, exprs: Vec<theirs::Expr>) -> Result<Vec<Expr>> {
        exprs.into_iter().map(|e| self.expr(e)).collect()
    }

    fn boxed(self, expr: Box<theirs::Expr>) -> Result<Box<Expr>> {
        self.expr(*expr).map(Box::new)
    }

    pub fn expr(self, expr: theirs::Expr) -> Result<Expr> {
        use theirs::Expr as E;
        let this = self.deeper(1, Span::NONE)?;
        match expr {
            E::BinaryOp { .. } => this.chain(expr),
            E::Identifier(ident) => this.identifier(ident),
            E::CompoundIdentifier(parts) => this.compound(parts),
            E::Value(value) => this.value(value.value, source::span(value.span)),
            E::Nested(inner) => {
                let mut inner = this.expr(*inner)?;
                inner.span = this.source.with_parentheses(inner.span);
                Ok(inner)
            }
            E::UnaryOp { op, expr } => this.unary(op, *expr),
            E::Function(function) => this.function(function),
            E::Case { case_token, end_token, operand, conditions, else_result } => {
                let span = source::span(case_token.0.span).to(source::span(end_token.0.span));
                let operand = operand.map(|e| this.boxed(e)).transpose()?;
                let branches =
                    conditions.into_iter().map(|when| Ok((this.expr(when.condition)?, this.expr(when.result)?)));
                let branches = branches.collect::<Result<_>>()?;
                let otherwise = else_result.map(|e| this.boxed(e)).transpose()?;
                Ok(Expr { kind: ExprKind::Case { operand, branches, otherwise }, span })
            }
            E::Exists { .. } | E::Subquery(_) | E::AnyOp { .. } | E::AllOp { .. } => this.subquery(expr),
            E::Tuple(members) => {
                let members = this.exprs(members)?;
                let span = this.source.with_parentheses(cover(&members));
                Ok(Expr { kind: ExprKind::Row(members), span })
            }
            E::Cast { kind, expr, data_type, format } => this.cast(kind, *expr, data_type, format.is_some()),
            E::TypedString(typed) => this.typed_string(typed),
            E::Extract { .. }
            | E::Ceil { .. }
            | E::Floor { .. }
            | E::Position { .. }
            | E::Substring { .. }
            | E::Trim { .. }
            | E::Overlay { .. } => this.special_call(expr),
            other => this.test(other),
        }
    }

    fn identifier(self, ident: theirs::Ident) -> Result<Expr> {
        let span = source::span(ident.span);
        if ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("NOW") {
            return Ok(call("now", Vec::new(), span));
        }
        Ok(Expr { kind: ExprKind::Column { qualifier: None, column: self.ident(ident) }, span })
    }

    fn compound(self, parts: Vec<theirs::Ident>) -> Result<Expr> {
        let parts: Vec<Ident> = parts.into_iter().map(|p| self.ident(p)).collect();
        let span = parts.iter().fold(Span::NONE, |span, part| span.to(part.span));
        match <[Ident; 2]>::try_from(parts) {
            Ok([table, column]) => Ok(Expr { kind: ExprKind::Column { qualifier: Some(table), column }, span }),
            Err(_) => Err(unsupported("a column has one qualifier: write table.column", span)),
        }
    }

    pub fn ident(self, ident: theirs::Ident) -> Ident {
        Ident { name: Name::new(&ident.value), span: source::span(ident.span) }
    }

    /// The name of a table in FROM: of one part, or of two for a system table.
    pub fn table_name(self, name: theirs::ObjectName) -> Result<Ident> {
        use theirs::ObjectNamePart::Identifier;
        if let [Identifier(schema), Identifier(table)] = name.0.as_slice()
            && SYSTEM_SCHEMAS.iter().any(|known| schema.value.eq_ignore_ascii_case(known))
        {
            let (schema, table) = (self.ident(schema.clone()), self.ident(table.clone()));
            let name = Name::new(&format!("{}.{}", schema.name, table.name));
            return Ok(Ident { name, span: schema.span.to(table.span) });
        }
        self.object_name(name)
    }

    /// A name of one part.
    pub fn object_name(self, name: theirs::ObjectName) -> Result<Ident> {
        let text = name.to_string();
        let parts: Option<Vec<theirs::Ident>> = name
            .0
            .into_iter()
            .map(|part| match part {
                theirs::ObjectNamePart::Identifier(ident) => Some(ident),
                theirs::ObjectNamePart::Function(_) => None,
            })
            .collect();
        let parts = parts.unwrap_or_default();
        let span = parts.iter().fold(Span::NONE, |span, part| span.to(source::span(part.span)));
        match <[theirs::Ident; 1]>::try_from(parts) {
            Ok([ident]) => Ok(self.ident(ident)),
            Err(_) => Err(unsupported(format!("{text} has several parts: schemas are not supported"), span)),
        }
    }

    fn value(self, value: theirs::Value, span: Span) -> Result<Expr> {
        use theirs::Value as V;
        let literal = match value {
            V::Number(text, _) => literal::number(&text, false, span)?,
            V::SingleQuotedString(text) => Value::Text(text),
            V::HexStringLiteral(digits) => literal::bytes(&digits, span)?,
            V::Boolean(truth) => Value::Bool(truth),
            V::Null => Value::Null,
            V::Placeholder(text) => return self.placeholder(&text, span),
            other => return Err(unsupported(format!("the literal {other} is not supported"), span)),
        };
        Ok(Expr { kind: ExprKind::Literal(literal), span })
    }

    fn placeholder(self, text: &str, span: Span) -> Result<Expr> {
        let kind = match text.strip_prefix('?') {
            Some(index) => ExprKind::Placeholder(index.parse().expect("numbered by Source::for_sqlparser")),
            None => ExprKind::Variable(Ident { name: Name::new(&text[1..]), span }),
        };
        Ok(Expr { kind, span })
    }

    fn unary(self, op: UnaryOperator, operand: theirs::Expr) -> Result<Expr> {
        if let (UnaryOperator::Minus, theirs::Expr::Value(value)) = (&op, &operand)
            && let theirs::Value::Number(text, _) = &value.value
        {
            let span = self.with_operator(source::span(value.span));
            return Ok(Expr { kind: ExprKind::Literal(literal::number(text, true, span)?), span });
        }
        let mut operand = self.expr(operand)?;
        let span = self.with_operator(operand.span);
        let op = match op {
            UnaryOperator::Not => UnaryOp::Not,
            UnaryOperator::Minus => UnaryOp::Minus,
            UnaryOperator::Plus => UnaryOp::Plus,
            UnaryOperator::BangNot => {
                if let ExprKind::StartsWith { negated, .. } = &mut operand.kind {
                    *negated = true;
                }
                return Ok(operand);
            }
            other => return Err(unsupported(format!("the operator {other} is not supported"), span)),
        };
        Ok(Expr { kind: ExprKind::Unary { op, operand: Box::new(operand) }, span })
    }

    /// `span` and the one token before it.
    fn with_operator(self, span: Span) -> Span {
        self.source.token_before(span.start).map_or(span, |token| token.span.to(span))
    }

    /// A chain of binary operators, down its left side without recursion. AND and OR in a row become a balanced tree, so
    /// that thousands of terms are a few levels deep; their order stays.
    fn chain(self, mut expr: theirs::Expr) -> Result<Expr> {
        let mut links = Vec::new();
        while let theirs::Expr::BinaryOp { left, op, right } = expr {
            links.push((op, *right));
            expr = *left;
        }
        let unbalanced = links.iter().filter(|(op, _)| !matches!(op, BinaryOperator::And | BinaryOperator::Or)).count();
        if unbalanced > CHAIN_MAX {
            let message =
                format!("the expression is too long: more than {CHAIN_MAX} operators in a row other than AND and OR");
            return Err(SqlError::new(message, self.expr(expr).map_or(Span::NONE, |e| e.span)));
        }
        let this = self.deeper(unbalanced, Span::NONE)?;
        let mut left = this.expr(expr)?;
        let mut links = links.into_iter().rev().peekable();
        while let Some((op, right)) = links.next() {
            let right = this.expr(right)?;
            let span = left.span.to(right.span);
            let op = match op {
                BinaryOperator::And => BinaryOp::And,
                BinaryOperator::Or => BinaryOp::Or,
                BinaryOperator::Custom(op) if op == STARTS_WITH => {
                    let (operand, prefix) = (Box::new(left), Box::new(right));
                    left = Expr { kind: ExprKind::StartsWith { operand, prefix, negated: false }, span };
                    continue;
                }
                op => {
                    let op = binary(&op, span)?;
                    left = Expr { kind: ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) }, span };
                    continue;
                }
            };
            let mut terms = vec![left, right];
            while links.peek().is_some_and(|(next, _)| logical(next) == Some(op)) {
                let (_, right) = links.next().expect("peeked");
                terms.push(this.expr(right)?);
            }
            left = balanced(op, terms);
        }
        Ok(left)
    }

    fn subquery(self, expr: theirs::Expr) -> Result<Expr> {
        use theirs::Expr as E;
        match expr {
            E::Exists { subquery, negated } => {
                let query = Box::new(self.query(*subquery)?);
                let mut span = self.source.call_around(query.span);
                if negated {
                    span = self.with_operator(span);
                }
                Ok(Expr { kind: ExprKind::Exists { query, negated }, span })
            }
            E::Subquery(query) => {
                let query = Box::new(self.query(*query)?);
                let span = self.source.with_parentheses(query.span);
                Ok(Expr { kind: ExprKind::Scalar(query), span })
            }
            E::AnyOp { left, compare_op, right, .. } => self.quantified(*left, compare_op, *right, false),
            E::AllOp { left, compare_op, right } => self.quantified(*left, compare_op, *right, true),
            other => self.test(other),
        }
    }

    fn quantified(self, left: theirs::Expr, op: BinaryOperator, right: theirs::Expr, all: bool) -> Result<Expr> {
        let left = self.boxed(Box::new(left))?;
        let right = self.expr(right)?;
        let span = left.span.to(right.span);
        let ExprKind::Scalar(query) = right.kind else {
            return Err(unsupported("ANY and ALL take a query: write op ANY (SELECT ..)", right.span));
        };
        Ok(Expr { kind: ExprKind::Quantified { left, op: binary(&op, span)?, all, query }, span })
    }

    /// IS .., IN, BETWEEN, LIKE, IS DISTINCT FROM; anything else isn't ours.
    fn test(self, expr: theirs::Expr) -> Result<Expr> {
        use theirs::Expr as E;
        match expr {
            E::IsNull(e) => self.is_null(*e, false),
            E::IsNotNull(e) => self.is_null(*e, true),
            E::IsTrue(e) => self.is_truth(*e, Some(true), false),
            E::IsNotTrue(e) => self.is_truth(*e, Some(true), true),
            E::IsFalse(e) => self.is_truth(*e, Some(false), false),
            E::IsNotFalse(e) => self.is_truth(*e, Some(false), true),
            E::IsUnknown(e) => self.is_truth(*e, None, false),
            E::IsNotUnknown(e) => self.is_truth(*e, None, true),
            E::IsDistinctFrom(left, right) => self.distinct(BinaryOp::IsDistinctFrom, *left, *right),
            E::IsNotDistinctFrom(left, right) => self.distinct(BinaryOp::IsNotDistinctFrom, *left, *right),
            E::Between { expr, negated, low, high } => {
                let (operand, low, high) = (self.boxed(expr)?, self.boxed(low)?, self.boxed(high)?);
                let span = operand.span.to(high.span);
                Ok(Expr { kind: ExprKind::Between { operand, low, high, negated }, span })
            }
            E::In { expr, target, negated, global: false } => self.in_target(*expr, target, negated),
            E::Like { negated, any: false, expr, pattern, escape_char } => {
                self.like(*expr, *pattern, escape_char, negated, false)
            }
            E::ILike { negated, any: false, expr, pattern, escape_char } => {
                self.like(*expr, *pattern, escape_char, negated, true)
            }
            other => {
                let span = leftmost(&other);
                Err(unsupported(format!("the expression {} is not supported", shortened(&other)), span))
            }
        }
    }

    fn is_null(self, operand: theirs::Expr, negated: bool) -> Result<Expr> {
        let operand = Box::new(self.expr(operand)?);
        let span = self.source.through_word(operand.span, &["NULL"]);
        Ok(Expr { kind: ExprKind::IsNull { operand, negated }, span })
    }

    fn is_truth(self, operand: theirs::Expr, truth: Option<bool>, negated: bool) -> Result<Expr> {
        let operand = Box::new(self.expr(operand)?);
        let span = self.source.through_word(operand.span, &["TRUE", "FALSE", "UNKNOWN"]);
        Ok(Expr { kind: ExprKind::IsTruth { operand, truth, negated }, span })
    }

    fn distinct(self, op: BinaryOp, left: theirs::Expr, right: theirs::Expr) -> Result<Expr> {
        let (left, right) = (Box::new(self.expr(left)?), Box::new(self.expr(right)?));
        let span = left.span.to(right.span);
        Ok(Expr { kind: ExprKind::Binary { op, left, right }, span })
    }

    fn in_target(self, operand: theirs::Expr, target: theirs::InTarget, negated: bool) -> Result<Expr> {
        let operand = Box::new(self.expr(operand)?);
        match target {
            theirs::InTarget::List(list) => {
                let mut list = self.exprs(list)?;
                // Without parentheses in the text it is one value that is a list.
                if let [only] = list.as_slice()
                    && self.source.with_parentheses(only.span) == only.span
                {
                    let span = only.span;
                    list = vec![Expr { kind: ExprKind::Row(list), span }];
                    let whole = operand.span.to(span);
                    return Ok(Expr { kind: ExprKind::InList { operand, list, negated }, span: whole });
                }
                let span = self.source.to_closing(operand.span.to(cover(&list)));
                Ok(Expr { kind: ExprKind::InList { operand, list, negated }, span })
            }
            theirs::InTarget::Subquery(query) => {
                let query = Box::new(self.query(*query)?);
                let span = operand.span.to(self.source.with_parentheses(query.span));
                Ok(Expr { kind: ExprKind::InSubquery { operand, query, negated }, span })
            }
            _ => Err(unsupported("IN takes a list or a query in parentheses", operand.span)),
        }
    }

    fn like(
        self,
        operand: theirs::Expr,
        pattern: theirs::Expr,
        escape: Option<Box<theirs::Expr>>,
        negated: bool,
        case_insensitive: bool,
    ) -> Result<Expr> {
        let operand = Box::new(self.expr(operand)?);
        let pattern = Box::new(self.expr(pattern)?);
        let escape = escape.map(|e| self.boxed(e)).transpose()?;
        let span = operand.span.to(escape.as_ref().unwrap_or(&pattern).span);
        Ok(Expr { kind: ExprKind::Like { operand, pattern, escape, negated, case_insensitive }, span })
    }

    fn cast(self, kind: theirs::CastKind, operand: theirs::Expr, to: theirs::DataType, format: bool) -> Result<Expr> {
        let operand = Box::new(self.expr(operand)?);
        let span = match kind {
            theirs::CastKind::DoubleColon => self.source.through_cast(operand.span),
            _ => self.source.call_around(operand.span),
        };
        if format || !matches!(kind, theirs::CastKind::Cast | theirs::CastKind::DoubleColon) {
            return Err(unsupported("this form of CAST is not supported: write CAST(x AS type)", span));
        }
        let data_type = types::translate(to, span)?;
        Ok(Expr { kind: ExprKind::Cast { operand, data_type }, span })
    }

    /// `TIMESTAMP '..'`
    fn typed_string(self, typed: theirs::TypedString) -> Result<Expr> {
        let at = source::span(typed.value.span);
        let span = self.with_operator(at);
        let data_type = types::translate(typed.data_type, span)?;
        match (data_type, typed.value.value) {
            (DataType::Timestamp, theirs::Value::SingleQuotedString(text)) => {
                Ok(Expr { kind: ExprKind::Literal(literal::timestamp(&text, at)?), span })
            }
            (data_type, value) => {
                let message =
                    format!("{data_type} before {value} is not supported: write CAST({value} AS {data_type})");
                Err(unsupported(message, span))
            }
        }
    }

    /// The query in an expression.
    fn query(self, query: theirs::Query) -> Result<Query> {
        super::query::query(self, query)
    }

    pub fn order_by(self, written: theirs::OrderByExpr) -> Result<ast::OrderBy> {
        let theirs::OrderByExpr { expr, options: theirs::OrderByOptions { sort, nulls_first }, with_fill } = written;
        let expr = self.expr(expr)?;
        let descending = match sort {
            None | Some(theirs::OrderBySort::Asc) => false,
            Some(theirs::OrderBySort::Desc) => true,
            Some(theirs::OrderBySort::Using(_)) => {
                return Err(unsupported("ORDER BY .. USING is not supported", expr.span));
            }
        };
        if with_fill.is_some() {
            return Err(unsupported("WITH FILL is not supported", expr.span));
        }
        Ok(ast::OrderBy { expr, descending, nulls_first })
    }
}

/// A plain call.
pub fn call(name: &str, arguments: Vec<Expr>, span: Span) -> Expr {
    let name = Ident { name: Name::new(name), span };
    let function = ast::Function { name, star: false, distinct: false, arguments, over: None };
    Expr { kind: ExprKind::Function(function), span }
}

/// The smallest span that covers all of them.
pub fn cover(exprs: &[Expr]) -> Span {
    exprs.iter().fold(Span::NONE, |span, e| span.to(e.span))
}

pub fn unsupported(message: impl Into<String>, span: Span) -> SqlError {
    SqlError::new(message, span)
}

/// The error that `what` isn't supported; a hint may follow after a colon.
pub fn not_supported(what: &str, span: Span) -> SqlError {
    match what.split_once(": ") {
        Some((what, hint)) => SqlError::new(format!("{what} is not supported: {hint}"), span),
        None => SqlError::new(format!("{what} is not supported"), span),
    }
}

/// The terms joined by `op` in their order, as a tree of the least depth.
fn balanced(op: BinaryOp, mut terms: Vec<Expr>) -> Expr {
    while terms.len() > 1 {
        let mut joined = Vec::with_capacity(terms.len().div_ceil(2));
        let mut rest = terms.into_iter();
        while let Some(left) = rest.next() {
            joined.push(match rest.next() {
                Some(right) => {
                    let span = left.span.to(right.span);
                    Expr { kind: ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) }, span }
                }
                None => left,
            });
        }
        terms = joined;
    }
    terms.pop().expect("a chain has at least two terms")
}

fn logical(op: &BinaryOperator) -> Option<BinaryOp> {
    match op {
        BinaryOperator::And => Some(BinaryOp::And),
        BinaryOperator::Or => Some(BinaryOp::Or),
        _ => None,
    }
}

fn binary(op: &BinaryOperator, span: Span) -> Result<BinaryOp> {
    Ok(match op {
        BinaryOperator::And => BinaryOp::And,
        BinaryOperator::Or => BinaryOp::Or,
        BinaryOperator::Eq => BinaryOp::Eq,
        BinaryOperator::NotEq => BinaryOp::NotEq,
        BinaryOperator::Lt => BinaryOp::Lt,
        BinaryOperator::LtEq => BinaryOp::LtEq,
        BinaryOperator::Gt => BinaryOp::Gt,
        BinaryOperator::GtEq => BinaryOp::GtEq,
        BinaryOperator::Plus => BinaryOp::Add,
        BinaryOperator::Minus => BinaryOp::Subtract,
        BinaryOperator::Multiply => BinaryOp::Multiply,
        BinaryOperator::Divide => BinaryOp::Divide,
        BinaryOperator::Modulo => BinaryOp::Modulo,
        BinaryOperator::StringConcat => BinaryOp::Concat,
        BinaryOperator::Arrow => BinaryOp::JsonGet,
        BinaryOperator::LongArrow => BinaryOp::JsonGetText,
        other => return Err(unsupported(format!("the operator {other} is not supported"), span)),
    })
}

/// Where an expression starts, as well as sqlparser can say.
fn leftmost(expr: &theirs::Expr) -> Span {
    source::span(theirs::Spanned::span(expr))
}

fn shortened(expr: &theirs::Expr) -> String {
    const SHOWN: usize = 40;
    let text = expr.to_string();
    if text.chars().count() <= SHOWN { text } else { text.chars().take(SHOWN).chain("..".chars()).collect() }
}
