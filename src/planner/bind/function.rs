//! Function calls: special forms, aggregates, windows, and the registry of scalar functions.

use super::coerce::{cast, fold};
use super::expr::hex_integer;
use super::group::aggregate_kind;
use crate::expr::expr::{Comparison, Expr, ExprKind};
use crate::expr::function::{Function, NAMES, extract_field, lookup, resolve};
use crate::planner::binder::Binder;
use crate::planner::error::{Result, did_you_mean, fail};
use crate::sql::Span;
use crate::sql::ast;
use crate::types::{DataType, Value};

/// Names that are no functions of the registry.
const FORMS: [&str; 22] = [
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "approx_count_distinct",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "string_agg",
    "var_pop",
    "var_samp",
    "variance",
    "ifnull",
    "rank",
    "dense_rank",
    "row_number",
    "coalesce",
    "nullif",
    "decode",
    "now",
    "current_timestamp",
];

impl<'a> Binder<'a> {
    pub(super) fn function(&mut self, f: &'a ast::Function, span: Span) -> Result<Expr> {
        let name = f.name.name.folded();
        if let Some(window) = &f.over {
            return self.window(f, window, span);
        }
        if let Some(kind) = aggregate_kind(f) {
            return self.aggregate(kind, f, span);
        }
        if f.star || f.distinct {
            let what = if f.star { "*" } else { "DISTINCT" };
            return fail(format!("{} takes no {what}: it is no aggregate function", f.name.name), span);
        }
        match name {
            "now" | "current_timestamp" if f.arguments.is_empty() => {
                if let Some(what) = self.plain {
                    return fail(format!("{what} can't depend on NOW"), span);
                }
                Ok(Expr { kind: ExprKind::Now, ty: DataType::Timestamp, nullable: false })
            }
            "row_count" | "sqlerrm" | "sqlstate" if f.arguments.is_empty() => self.resolve(None, &f.name),
            "coalesce" | "ifnull" | "nvl" => self.coalesce(f, span),
            "nullif" => self.nullif(f, span),
            "decode" => self.decode(f, span),
            "rank" | "dense_rank" | "row_number" => {
                fail(format!("{} needs OVER (..)", f.name.name.as_str().to_uppercase()), span)
            }
            "extract" => self.extract(f, span),
            _ => {
                let arguments = self.arguments(&f.arguments)?;
                self.call_registry(f.name.name.as_str(), arguments, span)
            }
        }
    }

    fn arguments(&mut self, list: &'a [ast::Expr]) -> Result<Vec<(Expr, Span)>> {
        list.iter().map(|e| Ok((self.expr(e)?, e.span))).collect()
    }

    fn coalesce(&mut self, f: &'a ast::Function, span: Span) -> Result<Expr> {
        let arguments = self.arguments(&f.arguments)?;
        if arguments.is_empty() {
            return fail("COALESCE takes at least one argument", span);
        }
        let (mut values, ty) = self.coerce_all(arguments)?;
        if values.len() == 1 {
            return Ok(values.pop().expect("it has one"));
        }
        let nullable = values.iter().all(|value| value.nullable);
        Ok(fold(Expr { kind: ExprKind::Coalesce(values), ty, nullable }))
    }

    /// NULL where both are equal.
    fn nullif(&mut self, f: &'a ast::Function, span: Span) -> Result<Expr> {
        let [a, b] = f.arguments.as_slice() else {
            return fail(format!("NULLIF takes 2 arguments, not {}", f.arguments.len()), span);
        };
        let left = (self.expr(a)?, a.span);
        let right = (self.expr(b)?, b.span);
        let equal = self.compare(Comparison::Eq, left.clone(), right)?;
        let null = (Expr::literal(Value::Null, DataType::Null), span);
        self.case_of(vec![equal], vec![null, left])
    }

    /// DECODE(x, a, b, .. [, otherwise]): NULL equals NULL here.
    fn decode(&mut self, f: &'a ast::Function, span: Span) -> Result<Expr> {
        let mut arguments = self.arguments(&f.arguments)?.into_iter();
        let (Some(x), true) = (arguments.next(), f.arguments.len() >= 3) else {
            return fail("DECODE takes at least 3 arguments: a value, what it may be, the result then", span);
        };
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        while let Some(first) = arguments.next() {
            match arguments.next() {
                Some(result) => {
                    conditions.push(self.compare(Comparison::IsNotDistinct, x.clone(), first)?);
                    values.push(result);
                }
                None => values.push(first),
            }
        }
        self.case_of(conditions, values)
    }

    /// EXTRACT has the type of the field it takes.
    fn extract(&mut self, f: &'a ast::Function, span: Span) -> Result<Expr> {
        let mut arguments = self.arguments(&f.arguments)?;
        if let [(unit, unit_span), _] = arguments.as_slice()
            && let ExprKind::Literal(Value::Text(unit)) = &unit.kind
        {
            let Some(field) = extract_field(unit) else {
                return fail(format!("EXTRACT knows no field {unit}"), *unit_span);
            };
            arguments.remove(0);
            return self.call(field, arguments, span);
        }
        self.call_registry("extract", arguments, span)
    }

    pub(super) fn call_registry(&mut self, name: &str, arguments: Vec<(Expr, Span)>, span: Span) -> Result<Expr> {
        match lookup(name) {
            Some(function) => self.call(function, arguments, span),
            None => {
                let known = NAMES.iter().map(|(name, _)| *name).chain(FORMS);
                let hint = did_you_mean(name, known).to_uppercase().replace("; DID YOU MEAN", "; did you mean");
                fail(format!("no function {}{hint}", name.to_uppercase()), span)
            }
        }
    }

    fn call(&mut self, function: Function, arguments: Vec<(Expr, Span)>, span: Span) -> Result<Expr> {
        let types = |arguments: &[(Expr, Span)]| arguments.iter().map(|(argument, _)| argument.ty).collect::<Vec<_>>();
        let mut arguments = arguments;
        let mut resolved = resolve(function, &types(&arguments));
        if resolved.is_err() && arguments.iter().any(|(argument, _)| hex_integer(argument).is_some()) {
            // X'..' stands for an integer where bytes won't do.
            arguments.iter_mut().for_each(|(a, _)| *a = hex_integer(a).unwrap_or_else(|| a.clone()));
            resolved = resolve(function, &types(&arguments));
        }
        let (casts, ty) = match resolved {
            Ok(found) => found,
            Err(message) => return fail(message, span),
        };
        let mut list = Vec::with_capacity(arguments.len());
        for ((argument, at), to) in arguments.into_iter().zip(casts) {
            list.push(if to.is_text() && argument.ty.is_text() { argument } else { self.coerce(argument, to, at)? });
        }
        let extreme = matches!(function, Function::Greatest | Function::Least);
        let nullable = if extreme { list.iter().all(|e| e.nullable) } else { true };
        // The smallest integer of a narrow type has no counterpart in it.
        let narrow = function == Function::Abs && ty.is_integer() && ty != DataType::BigInt;
        let computed = if narrow { DataType::BigInt } else { ty };
        let call = Expr { kind: ExprKind::Function { function, arguments: list }, ty: computed, nullable };
        Ok(fold(if narrow { cast(call, ty) } else { call }))
    }
}
