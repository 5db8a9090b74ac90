//! Calls, and the forms with words between their arguments, which become plain calls.

use super::expr::{Translator, call, not_supported, unsupported};
use super::source;
use crate::sql::ast::{self, Expr, ExprKind, FrameBound, FrameUnit, Window, WindowFrame};
use crate::sql::{Span, SqlError};
use crate::types::Value;
use sqlparser::ast as theirs;

type Result<T> = std::result::Result<T, SqlError>;

/// Functions whose first argument is a unit of time, written as a word.
const UNIT_FIRST: [&str; 6] = ["dateadd", "datediff", "truncate", "since_epoch", "to_timestamp", "time_window"];

/// Functions of many rows, which FILTER may follow.
const AGGREGATES: [&str; 13] = [
    "approx_count_distinct",
    "avg",
    "count",
    "max",
    "min",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "string_agg",
    "sum",
    "var_pop",
    "var_samp",
    "variance",
];

const UNITS: [&str; 17] = [
    "YEAR",
    "QUARTER",
    "MONTH",
    "WEEK",
    "DAY",
    "HOUR",
    "MINUTE",
    "SECOND",
    "MILLIS",
    "MILLISECOND",
    "MICROS",
    "MICROSECOND",
    "SECONDS",
    "MILLISECONDS",
    "MICROSECONDS",
    "START",
    "END",
];

impl Translator<'_> {
    pub(super) fn function(self, function: theirs::Function) -> Result<Expr> {
        let theirs::Function { name, uses_odbc_syntax, parameters, args, within_group, filter, null_treatment, over } =
            function;
        let name = self.object_name(name)?;
        let mut span = self.source.call(name.span);
        let refuse = |what: &str| Err(not_supported(what, span));
        if uses_odbc_syntax || !matches!(parameters, theirs::FunctionArguments::None) {
            return refuse("this form of a call");
        }
        if !within_group.is_empty() {
            return refuse("WITHIN GROUP");
        }
        if null_treatment.is_some() {
            return refuse("IGNORE NULLS or RESPECT NULLS");
        }
        let folded = name.name.folded().to_owned();
        let (mut star, mut distinct, mut arguments) = (false, false, Vec::new());
        match args {
            theirs::FunctionArguments::None if folded == "current_timestamp" => {}
            theirs::FunctionArguments::None => return refuse(name.name.as_str()),
            theirs::FunctionArguments::Subquery(_) => return refuse("a query as the argument of a function"),
            theirs::FunctionArguments::List(list) => {
                distinct = matches!(list.duplicate_treatment, Some(theirs::DuplicateTreatment::Distinct));
                if let Some(clause) = list.clauses.first() {
                    return refuse(&format!("{clause} in the arguments of a function"));
                }
                for (i, argument) in list.args.into_iter().enumerate() {
                    match self.argument(argument, &folded, i, span)? {
                        Some(argument) => arguments.push(argument),
                        None => star = true,
                    }
                }
            }
        }
        if star && (folded != "count" || !arguments.is_empty() || distinct) {
            return Err(unsupported("* is an argument of COUNT only, and then the only one", span));
        }
        if let Some(condition) = filter {
            if !AGGREGATES.contains(&folded.as_str()) {
                return Err(unsupported("FILTER stands after aggregate functions only", span));
            }
            let value = match arguments.is_empty() {
                true => Expr { kind: ExprKind::Literal(Value::Int(1)), span },
                false => arguments.remove(0),
            };
            let condition = self.expr(*condition)?;
            // NULLs are not aggregated: what does not pass becomes one.
            let branches = vec![(condition, value)];
            arguments.insert(0, Expr { kind: ExprKind::Case { operand: None, branches, otherwise: None }, span });
            star = false;
        }
        let over = match over {
            None => None,
            Some(theirs::WindowType::NamedWindow(_)) => return refuse("a named window: write OVER (..)"),
            Some(theirs::WindowType::WindowSpec(spec)) => {
                let end = self.source.through_word(span, &["OVER"]);
                span = span.to(self.source.call(Span::new(end.end.saturating_sub("OVER".len()), end.end)));
                Some(self.window(spec, span)?)
            }
        };
        if matches!(folded.as_str(), "now" | "current_timestamp") && arguments.is_empty() && over.is_none() {
            return Ok(call("now", arguments, span));
        }
        if folded == "ceil" {
            return Ok(call("ceiling", arguments, span));
        }
        Ok(Expr { kind: ExprKind::Function(ast::Function { name, star, distinct, arguments, over }), span })
    }

    /// None for `*`. Units of time become text.
    fn argument(self, argument: theirs::FunctionArg, function: &str, at: usize, span: Span) -> Result<Option<Expr>> {
        use theirs::{FunctionArg, FunctionArgExpr};
        let expr = match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => expr,
            FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => return Ok(None),
            FunctionArg::Unnamed(_) => return Err(unsupported("t.* as an argument is not supported", span)),
            _ => return Err(unsupported("arguments with names are not supported", span)),
        };
        let takes_unit = UNIT_FIRST.contains(&function) && (at == 0 || function == "time_window");
        if let theirs::Expr::Identifier(ident) = &expr {
            let unit = ident.value.to_ascii_uppercase();
            if takes_unit && ident.quote_style.is_none() && UNITS.contains(&unit.as_str()) {
                return Ok(Some(text(&unit, source::span(ident.span))));
            }
        }
        self.expr(expr).map(Some)
    }

    fn window(self, spec: theirs::WindowSpec, span: Span) -> Result<Window> {
        let theirs::WindowSpec { window_name, partition_by, order_by, window_frame } = spec;
        if window_name.is_some() {
            return Err(unsupported("named windows are not supported", span));
        }
        let order_by = order_by.into_iter().map(|o| self.order_by(o)).collect::<Result<_>>()?;
        let frame = window_frame.map(|frame| self.frame(frame)).transpose()?;
        Ok(Window { partition_by: self.exprs(partition_by)?, order_by, frame })
    }

    fn frame(self, frame: theirs::WindowFrame) -> Result<WindowFrame> {
        let unit = match frame.units {
            theirs::WindowFrameUnits::Rows => FrameUnit::Rows,
            theirs::WindowFrameUnits::Range => FrameUnit::Range,
            theirs::WindowFrameUnits::Groups => FrameUnit::Groups,
        };
        let start = self.bound(frame.start_bound)?;
        let end = frame.end_bound.map_or(Ok(FrameBound::CurrentRow), |bound| self.bound(bound))?;
        Ok(WindowFrame { unit, start, end })
    }

    fn bound(self, bound: theirs::WindowFrameBound) -> Result<FrameBound> {
        use theirs::WindowFrameBound as B;
        Ok(match bound {
            B::CurrentRow => FrameBound::CurrentRow,
            B::Preceding(None) => FrameBound::UnboundedPreceding,
            B::Following(None) => FrameBound::UnboundedFollowing,
            B::Preceding(Some(offset)) => FrameBound::Preceding(Box::new(self.expr(*offset)?)),
            B::Following(Some(offset)) => FrameBound::Following(Box::new(self.expr(*offset)?)),
        })
    }

    /// EXTRACT, CEIL, FLOOR, POSITION, SUBSTRING, TRIM, OVERLAY.
    pub(super) fn special_call(self, expr: theirs::Expr) -> Result<Expr> {
        use theirs::{CeilFloorKind, DateTimeField, Expr as E, TrimWhereField};
        let (name, arguments) = match expr {
            E::Extract { field, expr, .. } => {
                let operand = self.expr(*expr)?;
                let unit = field.to_string().to_ascii_uppercase();
                ("extract", vec![text(&unit, operand.span), operand])
            }
            E::Ceil { expr, field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) } => {
                ("ceiling", vec![self.expr(*expr)?])
            }
            E::Floor { expr, field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) } => {
                ("floor", vec![self.expr(*expr)?])
            }
            E::Ceil { expr, .. } | E::Floor { expr, .. } => {
                let span = self.source.call_around(self.expr(*expr)?.span);
                return Err(unsupported("CEIL and FLOOR take one number", span));
            }
            E::Position { expr, r#in } => ("position", vec![self.expr(*expr)?, self.expr(*r#in)?]),
            E::Substring { expr, substring_from, substring_for, .. } => {
                let operand = self.expr(*expr)?;
                let first = Expr { kind: ExprKind::Literal(Value::Int(1)), span: operand.span };
                let from = substring_from.map_or(Ok(first), |e| self.expr(*e))?;
                let length = substring_for.map(|e| self.expr(*e)).transpose()?;
                ("substring", [operand, from].into_iter().chain(length).collect())
            }
            E::Trim { trim_where, trim_what, expr, trim_characters: None } => {
                let name = match trim_where {
                    Some(TrimWhereField::Leading) => "ltrim",
                    Some(TrimWhereField::Trailing) => "rtrim",
                    Some(TrimWhereField::Both) | None => "trim",
                };
                let what = trim_what.map(|e| self.expr(*e)).transpose()?;
                (name, [self.expr(*expr)?].into_iter().chain(what).collect())
            }
            E::Overlay { expr, overlay_what, overlay_from, overlay_for } => {
                let parts = [Some(expr), Some(overlay_what), Some(overlay_from), overlay_for];
                ("overlay", parts.into_iter().flatten().map(|e| self.expr(*e)).collect::<Result<_>>()?)
            }
            other => return Err(unsupported(format!("{other} is not supported"), Span::NONE)),
        };
        let anchor = arguments.last().map_or(Span::NONE, |e: &Expr| e.span);
        Ok(call(name, arguments, self.source.call_around(anchor)))
    }
}

fn text(text: &str, span: Span) -> Expr {
    Expr { kind: ExprKind::Literal(Value::Text(text.to_owned())), span }
}
