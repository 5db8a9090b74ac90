//! Functions with OVER: their arguments, partitions, order and frames.

use super::group::aggregate_kind;
use crate::expr::AggregateKind;
use crate::expr::expr::Expr;
use crate::planner::binder::Binder;
use crate::planner::error::{Result, fail, type_name};
use crate::planner::plan::{FrameBound, FrameUnit, SortKey, WindowCall, WindowFrame, WindowKind};
use crate::planner::scope::WindowGroup;
use crate::sql::Span;
use crate::sql::ast::{self, ExprKind as Ast, Window};
use crate::types::DataType;

/// What a window function is, apart from partition, order and frame.
struct Call {
    kind: WindowKind,
    arguments: Vec<Expr>,
    ty: DataType,
    nullable: bool,
}

impl<'a> Binder<'a> {
    /// A function with OVER.
    pub(super) fn window(&mut self, f: &'a ast::Function, window: &'a Window, span: Span) -> Result<Expr> {
        let name = f.name.name.as_str().to_uppercase();
        match self.scopes.last() {
            None => return fail(format!("{name} OVER needs a FROM"), span),
            Some(scope) => {
                if let Some(clause) = scope.no_windows {
                    return fail(format!("window function {name} can't stand in {clause}; use a FROM subquery"), span);
                }
            }
        }
        self.scope().no_windows = Some("another window function");
        let bound = self.window_parts(f, &name, window, span);
        self.scope().no_windows = None;
        let (call, frame, partition_by, order_by) = bound?;
        let out = self.fresh();
        let expr = Expr::reg(out, call.ty, call.nullable);
        let call = WindowCall { kind: call.kind, arguments: call.arguments, frame, out, ty: call.ty };
        let windows = &mut self.scope().windows;
        let same = windows.iter_mut().find(|w| w.partition_by == partition_by && same_keys(&w.order_by, &order_by));
        match same {
            Some(group) => group.calls.push(call),
            None => windows.push(WindowGroup { partition_by, order_by, calls: vec![call] }),
        }
        Ok(expr)
    }

    #[allow(clippy::type_complexity)] // the parts of a window call, taken apart at once by its only caller
    fn window_parts(
        &mut self,
        f: &'a ast::Function,
        name: &str,
        window: &'a Window,
        span: Span,
    ) -> Result<(Call, WindowFrame, Vec<Expr>, Vec<SortKey>)> {
        let mut partition_by = Vec::with_capacity(window.partition_by.len());
        for e in &window.partition_by {
            let mut bound = self.expr(e)?;
            self.regroup(&mut bound)?;
            partition_by.push(bound);
        }
        let mut order_by = Vec::with_capacity(window.order_by.len());
        for key in &window.order_by {
            let mut expr = self.expr(&key.expr)?;
            self.regroup(&mut expr)?;
            let nulls_first = key.nulls_first.unwrap_or(!key.descending);
            order_by.push(SortKey { expr, descending: key.descending, nulls_first });
        }
        let mut call = self.window_call(f, name, span)?;
        for argument in &mut call.arguments {
            self.regroup(argument)?;
        }
        let ranks = matches!(
            call.kind,
            WindowKind::Rank | WindowKind::DenseRank | WindowKind::PercentRank | WindowKind::CumeDist
        );
        if order_by.is_empty() && ranks {
            return fail(format!("{name} needs ORDER BY in its OVER"), span);
        }
        let frame = self.window_frame(window, &order_by, span)?;
        if window.frame.is_some() && !call.kind.has_frame() {
            return fail(format!("{name} looks at the whole partition: leave the frame out"), span);
        }
        // Without an offset, the current row is always in the frame.
        let always = |bound: &FrameBound| !matches!(bound, FrameBound::Preceding(_) | FrameBound::Following(_));
        call.nullable |= call.kind.has_frame()
            && !matches!(call.kind, WindowKind::Aggregate(AggregateKind::Count | AggregateKind::CountStar))
            && !(always(&frame.start) && always(&frame.end));
        Ok((call, frame, partition_by, order_by))
    }

    fn window_call(&mut self, f: &'a ast::Function, name: &str, span: Span) -> Result<Call> {
        let (kind, least, most) = match f.name.name.folded() {
            "row_number" => (WindowKind::RowNumber, 0, 0),
            "rank" => (WindowKind::Rank, 0, 0),
            "dense_rank" => (WindowKind::DenseRank, 0, 0),
            "percent_rank" => (WindowKind::PercentRank, 0, 0),
            "cume_dist" => (WindowKind::CumeDist, 0, 0),
            "ntile" => (WindowKind::Ntile, 1, 1),
            "lag" => (WindowKind::Lag, 1, 3),
            "lead" => (WindowKind::Lead, 1, 3),
            "first_value" => (WindowKind::FirstValue, 1, 1),
            "last_value" => (WindowKind::LastValue, 1, 1),
            "nth_value" => (WindowKind::NthValue, 2, 2),
            _ => return self.window_aggregate(f, name, span),
        };
        if f.star || f.distinct || !(least..=most).contains(&f.arguments.len()) {
            let takes = match (least, most) {
                (0, 0) => "no argument".to_owned(),
                (1, 1) => "1 argument".to_owned(),
                (2, 2) => "2 arguments".to_owned(),
                (least, most) => format!("{least} to {most} arguments"),
            };
            return fail(format!("{name} takes {takes}"), span);
        }
        let mut arguments = Vec::with_capacity(f.arguments.len());
        for (at, e) in f.arguments.iter().enumerate() {
            let mut bound = self.expr(e)?;
            let is_number = kind == WindowKind::Ntile || at == 1;
            if is_number {
                bound = self.coerce(bound, DataType::BigInt, e.span)?;
            } else if let Some(value) = arguments.first() {
                let value: &Expr = value;
                bound = self.coerce(bound, value.ty, e.span)?;
            } else {
                self.infer(&mut bound, DataType::BigInt);
            }
            arguments.push(bound);
        }
        let (ty, nullable) = match kind {
            WindowKind::PercentRank | WindowKind::CumeDist => (DataType::Float, false),
            WindowKind::RowNumber | WindowKind::Rank | WindowKind::DenseRank | WindowKind::Ntile => {
                (DataType::BigInt, false)
            }
            WindowKind::FirstValue | WindowKind::LastValue => (arguments[0].ty, arguments[0].nullable),
            _ => (arguments[0].ty, true),
        };
        Ok(Call { kind, arguments, ty, nullable })
    }

    fn window_aggregate(&mut self, f: &'a ast::Function, name: &str, span: Span) -> Result<Call> {
        let Some(kind) = aggregate_kind(f) else {
            return fail(format!("{name} is no window function"), span);
        };
        if f.distinct {
            return fail(format!("{name}(DISTINCT ..) can't have OVER"), span);
        }
        let (argument, ty) = self.aggregate_argument(kind, f, name, span)?;
        let counts = matches!(kind, AggregateKind::Count | AggregateKind::CountStar);
        let nullable = !counts && argument.as_ref().is_some_and(|a| a.nullable);
        Ok(Call { kind: WindowKind::Aggregate(kind), arguments: argument.into_iter().collect(), ty, nullable })
    }

    fn window_frame(&mut self, window: &'a Window, order_by: &[SortKey], span: Span) -> Result<WindowFrame> {
        let Some(frame) = &window.frame else {
            // Up to the current row and its peers; without ORDER BY all rows are peers.
            let (start, end) = (FrameBound::UnboundedPreceding, FrameBound::CurrentRow);
            return Ok(WindowFrame { unit: FrameUnit::Range, start, end });
        };
        let unit = match frame.unit {
            ast::FrameUnit::Rows => FrameUnit::Rows,
            ast::FrameUnit::Range => FrameUnit::Range,
            ast::FrameUnit::Groups => FrameUnit::Groups,
        };
        // Where a bound stands: a frame must not end before it starts.
        let rank = |bound: &ast::FrameBound| match bound {
            ast::FrameBound::UnboundedPreceding => 0,
            ast::FrameBound::Preceding(_) => 1,
            ast::FrameBound::CurrentRow => 2,
            ast::FrameBound::Following(_) => 3,
            ast::FrameBound::UnboundedFollowing => 4,
        };
        if rank(&frame.start) == 4 || rank(&frame.end) == 0 || rank(&frame.start) > rank(&frame.end) {
            return fail("the frame ends before it starts", span);
        }
        if unit == FrameUnit::Groups && order_by.is_empty() {
            return fail("a frame of GROUPS needs ORDER BY", span);
        }
        let start = self.frame_bound(&frame.start, unit, order_by, span)?;
        let end = self.frame_bound(&frame.end, unit, order_by, span)?;
        Ok(WindowFrame { unit, start, end })
    }

    fn frame_bound(
        &mut self,
        bound: &'a ast::FrameBound,
        unit: FrameUnit,
        order_by: &[SortKey],
        span: Span,
    ) -> Result<FrameBound> {
        let (offset, preceding) = match bound {
            ast::FrameBound::UnboundedPreceding => return Ok(FrameBound::UnboundedPreceding),
            ast::FrameBound::CurrentRow => return Ok(FrameBound::CurrentRow),
            ast::FrameBound::UnboundedFollowing => return Ok(FrameBound::UnboundedFollowing),
            ast::FrameBound::Preceding(offset) => (offset, true),
            ast::FrameBound::Following(offset) => (offset, false),
        };
        if !matches!(offset.kind, Ast::Literal(_) | Ast::Placeholder(_) | Ast::Variable(_)) {
            return fail("the offset of a frame is a number or a ?, the same for all rows", offset.span);
        }
        let ty = match (unit, order_by) {
            (FrameUnit::Range, [key]) => match key.expr.ty {
                ty if ty.is_integer() || ty == DataType::Timestamp => DataType::BigInt,
                ty @ (DataType::Float | DataType::Decimal) => ty,
                ty => {
                    let message = format!("a RANGE with an offset needs ORDER BY of a number, not {}", type_name(ty));
                    return fail(message, offset.span);
                }
            },
            (FrameUnit::Range, _) => {
                return fail("a RANGE with an offset needs exactly one ORDER BY expression", span);
            }
            _ => DataType::BigInt,
        };
        let bound = self.expr(offset)?;
        let bound = self.coerce(bound, ty, offset.span)?;
        Ok(if preceding { FrameBound::Preceding(bound) } else { FrameBound::Following(bound) })
    }
}

fn same_keys(a: &[SortKey], b: &[SortKey]) -> bool {
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| a.expr == b.expr && a.descending == b.descending && a.nulls_first == b.nulls_first)
}
