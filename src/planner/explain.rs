//! A plan as an indented tree, for people and for golden tests.

use super::bind::expr::arithmetic_symbol;
use super::plan::{
    Access, AggregateCall, JoinKind, Node, Output, Partitioning, Plan, PlanKind, Returning, Scan, SortKey,
    SubqueryKind, WindowKind,
};
use super::registers::inputs;
use crate::catalog::{Catalog, Column, IndexKind, TableId};
use crate::expr::AggregateKind;
use crate::expr::expr::{Comparison, Expr, ExprKind};
use crate::sql::ast::SetOp;
use crate::types::{Reg, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The plan, a node a line, inputs indented below their node; columns as `table.column`, `?n` for placeholders, `$n` for
/// other values that come from outside, `#n` for computed ones. `catalog` must be the one that it was bound against.
pub fn explain(plan: &Plan, catalog: &Catalog) -> String {
    let mut writer = Writer { plan, catalog, names: BTreeMap::new(), out: String::new() };
    writer.name_registers();
    writer.partitioning();
    writer.kind();
    writer.out
}

struct Writer<'p> {
    plan: &'p Plan,
    catalog: &'p Catalog,
    names: BTreeMap<Reg, String>,
    out: String,
}

impl Writer<'_> {
    fn name_registers(&mut self) {
        let plan = self.plan;
        for (i, _) in plan.placeholders.iter().enumerate() {
            self.names.insert(i as Reg, format!("?{}", i + 1));
        }
        let mut nodes: Vec<&Node> = plan.subqueries.iter().map(|subquery| &subquery.root).collect();
        match &plan.kind {
            PlanKind::Query { root, .. } => nodes.push(root),
            PlanKind::Insert { source, .. } | PlanKind::Update { source, .. } | PlanKind::Delete { source, .. } => {
                nodes.push(source);
            }
            PlanKind::Expression(_) | PlanKind::Truncate { .. } => {}
        }
        if let PlanKind::Insert { table, returning: Some(r), .. }
        | PlanKind::Update { table, returning: Some(r), .. }
        | PlanKind::Delete { table, returning: Some(r), .. } = &plan.kind
        {
            self.name_columns(*table, &r.columns);
            self.name_computed(r.exprs.iter().map(|(reg, _)| *reg));
        }
        while let Some(node) = nodes.pop() {
            self.name_node(node);
            inputs(node, &mut |input| nodes.push(input));
        }
        if let PlanKind::Query { output, .. } = &plan.kind {
            self.name_computed(output.iter().map(|column| column.reg));
        }
    }

    fn name_columns(&mut self, table: TableId, columns: &[(usize, Reg)]) {
        let table = self.catalog.table_by_id(table);
        for &(column, reg) in columns {
            let name = table.columns.get(column).map_or("?", |Column { name, .. }| name.as_str());
            self.names.insert(reg, format!("{}.{name}", table.name));
        }
    }

    fn name_computed(&mut self, regs: impl Iterator<Item = Reg>) {
        for reg in regs {
            self.names.entry(reg).or_insert_with(|| format!("#{reg}"));
        }
    }

    fn name_node(&mut self, node: &Node) {
        match node {
            Node::Scan(scan) => self.name_columns(scan.table, &scan.columns),
            Node::Rows { name, rows, columns } => {
                for &(column, reg) in columns {
                    self.names.insert(reg, format!("{name}.{}", rows.columns[column].name));
                }
            }
            Node::Values { out, .. } | Node::Working { out, .. } => self.name_computed(out.iter().copied()),
            Node::Compute { exprs, .. } => self.name_computed(exprs.iter().map(|(reg, _)| *reg)),
            Node::Aggregate { keys, calls, .. } => {
                self.name_computed(keys.iter().map(|(reg, _)| *reg).chain(calls.iter().map(|call| call.out)));
            }
            Node::Window { calls, .. } => self.name_computed(calls.iter().map(|call| call.out)),
            Node::SetOperation { out, .. } | Node::Recursive { out, .. } => {
                self.name_computed(out.iter().map(|(reg, _)| *reg));
            }
            _ => {}
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(depth));
    }

    fn partitioning(&mut self) {
        let text = match &self.plan.partitioning {
            Partitioning::Any => "any partition".to_owned(),
            Partitioning::All => "all partitions".to_owned(),
            Partitioning::One { key, table, column } => {
                let table = self.catalog.table_by_id(*table);
                format!("one partition: {}.{} = {}", table.name, table.columns[*column].name, self.expr(key))
            }
        };
        self.line(0, &text);
    }

    fn kind(&mut self) {
        let plan = self.plan;
        match &plan.kind {
            PlanKind::Query { root, output } => {
                let columns = self.output(output);
                self.line(0, &format!("Select {columns}"));
                self.node(1, root);
            }
            PlanKind::Expression(expr) => {
                let text = format!("Expression {}", self.expr(expr));
                self.line(0, &text);
            }
            PlanKind::Insert { table, source, row, upsert, conflict, returning } => {
                let verb = if upsert.is_some() { "Upsert into" } else { "Insert into" };
                let text = format!("{verb} {} ({})", self.table(*table), self.list(row));
                self.line(0, &text);
                if let Some(columns) = upsert {
                    let table = self.catalog.table_by_id(*table);
                    let names: Vec<&str> = columns.iter().map(|&c| table.columns[c].name.as_str()).collect();
                    self.line(1, &format!("where the key is there: set {}", names.join(", ")));
                }
                if let Some(conflict) = conflict {
                    let columns = &self.catalog.table_by_id(*table).columns;
                    let action = match &conflict.update {
                        None => "nothing".to_owned(),
                        Some(update) => {
                            let set = update.assignments.iter();
                            let set: Vec<String> =
                                set.map(|(c, e)| format!("{} = {}", columns[*c].name, self.expr(e))).collect();
                            let filter =
                                update.filter.as_ref().map_or(String::new(), |f| format!(" where {}", self.expr(f)));
                            format!("set {}{filter}", set.join(", "))
                        }
                    };
                    self.line(1, &format!("where the key is there: {action}"));
                }
                self.returning(returning.as_ref());
                self.node(1, source);
            }
            PlanKind::Update { table, source, assignments, returning, .. } => {
                let columns = &self.catalog.table_by_id(*table).columns;
                let set: Vec<String> =
                    assignments.iter().map(|(c, e)| format!("{} = {}", columns[*c].name, self.expr(e))).collect();
                let text = format!("Update {} set {}", self.table(*table), set.join(", "));
                self.line(0, &text);
                self.returning(returning.as_ref());
                self.node(1, source);
            }
            PlanKind::Delete { table, source, returning, .. } => {
                let text = format!("Delete from {}", self.table(*table));
                self.line(0, &text);
                self.returning(returning.as_ref());
                self.node(1, source);
            }
            PlanKind::Truncate { table } => {
                let text = format!("Truncate {}", self.table(*table));
                self.line(0, &text);
            }
        }
        for (i, subquery) in plan.subqueries.iter().enumerate() {
            let kind = match &subquery.kind {
                SubqueryKind::Scalar { value } => format!("value {}", self.reg(*value)),
                SubqueryKind::Exists => "exists".to_owned(),
                SubqueryKind::In { operands, columns } => {
                    let columns: Vec<String> = columns.iter().map(|(reg, _)| self.reg(*reg)).collect();
                    format!("({}) in ({})", self.list(operands), columns.join(", "))
                }
                SubqueryKind::Quantified { test, all } => {
                    format!("{} {}", if *all { "all" } else { "any" }, self.expr(test))
                }
            };
            let again = if subquery.correlated { "for each row" } else { "once" };
            self.line(0, &format!("Subquery {}, {again}: {kind}", i + 1));
            self.node(1, &subquery.root);
        }
    }

    fn returning(&mut self, returning: Option<&Returning>) {
        let Some(returning) = returning else { return };
        let columns = self.output(&returning.output);
        self.line(1, &format!("returning {columns}"));
        if !returning.exprs.is_empty() {
            let text = format!("  where {}", self.assigned(&returning.exprs));
            self.line(1, &text);
        }
    }

    fn output(&self, output: &[Output]) -> String {
        let columns: Vec<String> = output
            .iter()
            .map(|column| {
                let value = self.reg(column.reg);
                let name = &column.name;
                let is_its_own = value == *name || value.ends_with(&format!(".{name}"));
                if is_its_own { value } else { format!("{value} as {name}") }
            })
            .collect();
        columns.join(", ")
    }

    fn node(&mut self, depth: usize, node: &Node) {
        let text = self.head(node);
        self.line(depth, &text);
        if let Node::Scan(scan) = node
            && let Some(filter) = &scan.filter
        {
            let text = format!("where {}", self.expr(filter));
            self.line(depth + 1, &text);
        }
        inputs(node, &mut |input| self.node(depth + 1, input));
    }

    fn head(&self, node: &Node) -> String {
        match node {
            Node::One => "One row".to_owned(),
            Node::Values { rows, .. } => {
                let rows: Vec<String> = rows.iter().map(|row| format!("({})", self.list(row))).collect();
                format!("Values {}", rows.join(", "))
            }
            Node::Scan(scan) => self.scan(scan),
            Node::Rows { name, rows, .. } => format!("System table {name}, {} rows", rows.rows.len()),
            Node::Filter { predicate, .. } => format!("Filter {}", self.expr(predicate)),
            Node::Compute { exprs, .. } => format!("Compute {}", self.assigned(exprs)),
            Node::Join { kind, on, .. } => {
                let on = on.as_ref().map_or(String::new(), |on| format!(" on {}", self.expr(on)));
                format!("{}{on}", joined(*kind, "nested loop join"))
            }
            Node::HashJoin { kind, probe_keys, build_keys, on, .. } => {
                let keys = probe_keys.iter().zip(build_keys);
                let keys: Vec<String> = keys.map(|(a, b)| format!("{} = {}", self.expr(a), self.expr(b))).collect();
                let on = on.as_ref().map_or(String::new(), |on| format!(" and {}", self.expr(on)));
                format!("{} on {}{on}", joined(*kind, "hash join"), keys.join(" and "))
            }
            Node::Aggregate { keys, calls, .. } => {
                let by = if keys.is_empty() { String::new() } else { format!(" by {}", self.assigned(keys)) };
                let calls: Vec<String> = calls.iter().map(|call| self.call(call)).collect();
                format!("Aggregate{by}{}{}", if calls.is_empty() { "" } else { ": " }, calls.join(", "))
            }
            Node::Window { partition_by, order_by, calls, .. } => {
                let calls: Vec<String> = calls
                    .iter()
                    .map(|call| {
                        let name = match call.kind {
                            WindowKind::RowNumber => "row_number",
                            WindowKind::Rank => "rank",
                            WindowKind::DenseRank => "dense_rank",
                            WindowKind::PercentRank => "percent_rank",
                            WindowKind::CumeDist => "cume_dist",
                            WindowKind::Ntile => "ntile",
                            WindowKind::Lag => "lag",
                            WindowKind::Lead => "lead",
                            WindowKind::FirstValue => "first_value",
                            WindowKind::LastValue => "last_value",
                            WindowKind::NthValue => "nth_value",
                            WindowKind::Aggregate(_) => "",
                        };
                        let function = match call.kind {
                            WindowKind::Aggregate(kind) => self.aggregate(kind, false, call.arguments.first()),
                            _ => format!("{name}({})", self.list(&call.arguments)),
                        };
                        format!("{} = {function}", self.reg(call.out))
                    })
                    .collect();
                let partition =
                    if partition_by.is_empty() { String::new() } else { format!(" per {}", self.list(partition_by)) };
                let order =
                    if order_by.is_empty() { String::new() } else { format!(" by {}", self.sort_keys(order_by)) };
                format!("Window{partition}{order}: {}", calls.join(", "))
            }
            Node::Sort { keys, top, .. } => {
                let top = top.as_ref().map_or(String::new(), |top| format!(", first {}", self.expr(top)));
                format!("Sort by {}{top}", self.sort_keys(keys))
            }
            Node::Distinct { columns, .. } => {
                let columns: Vec<String> = columns.iter().map(|(reg, _)| self.reg(*reg)).collect();
                format!("Distinct {}", columns.join(", "))
            }
            Node::Limit { limit, offset, .. } => {
                let limit = limit.as_ref().map_or(String::new(), |limit| format!(" {}", self.expr(limit)));
                let offset = offset.as_ref().map_or(String::new(), |offset| format!(" offset {}", self.expr(offset)));
                format!("Limit{limit}{offset}")
            }
            Node::SetOperation { op, all, left_columns, right_columns, out, .. } => {
                let op = match op {
                    SetOp::Union => "Union",
                    SetOp::Intersect => "Intersect",
                    SetOp::Except => "Except",
                };
                let out: Vec<String> = out.iter().map(|(reg, _)| self.reg(*reg)).collect();
                format!(
                    "{op}{} ({}) = ({}), ({})",
                    if *all { " all" } else { "" },
                    out.join(", "),
                    self.list(left_columns),
                    self.list(right_columns)
                )
            }
            Node::Recursive { id, all, base_columns, step_columns, out, .. } => {
                let out: Vec<String> = out.iter().map(|(reg, _)| self.reg(*reg)).collect();
                format!(
                    "Recursive {id}{} ({}) = ({}), ({})",
                    if *all { "" } else { " distinct" },
                    out.join(", "),
                    self.list(base_columns),
                    self.list(step_columns)
                )
            }
            Node::Working { id, .. } => format!("Rows of the last round of {id}"),
        }
    }

    fn scan(&self, scan: &Scan) -> String {
        let table = self.catalog.table_by_id(scan.table);
        let columns: Vec<&str> = scan.columns.iter().map(|&(c, _)| table.columns[c].name.as_str()).collect();
        let mut text = format!("Scan {} [{}]", table.name, columns.join(", "));
        match &scan.access {
            Access::Full => {}
            Access::Equal { index, key, unique } => {
                let index = &table.indexes[*index];
                let parts: Vec<String> = index
                    .keys
                    .iter()
                    .zip(key)
                    .map(|(k, e)| format!("{} = {}", self.index_key(scan.table, &k.expr), self.expr(e)))
                    .collect();
                let kind = if index.kind == IndexKind::Hash { "hash" } else { "ordered" };
                let unique = if *unique { "unique " } else { "" };
                let _ = write!(text, " by {unique}{kind} index {}: {}", index.name, parts.join(", "));
            }
            Access::Range { index, equal, low, high, descending } => {
                let index = &table.indexes[*index];
                let mut parts: Vec<String> = index
                    .keys
                    .iter()
                    .zip(equal)
                    .map(|(k, e)| format!("{} = {}", self.index_key(scan.table, &k.expr), self.expr(e)))
                    .collect();
                if let Some(next) = index.keys.get(equal.len()) {
                    let key = self.index_key(scan.table, &next.expr);
                    parts.extend(low.iter().map(|(e, inclusive)| {
                        format!("{key} {} {}", if *inclusive { ">=" } else { ">" }, self.expr(e))
                    }));
                    parts.extend(high.iter().map(|(e, inclusive)| {
                        format!("{key} {} {}", if *inclusive { "<=" } else { "<" }, self.expr(e))
                    }));
                }
                let order = if *descending { " backwards" } else { "" };
                let colon = if parts.is_empty() { "" } else { ": " };
                let _ = write!(text, " by range of index {}{order}{colon}{}", index.name, parts.join(", "));
            }
        }
        if let Some(partition) = &scan.partition {
            let _ = write!(text, ", in the partition of {}", self.expr(partition));
        }
        text
    }

    /// A key expression of an index: register `i` is column `i`.
    fn index_key(&self, table: TableId, expr: &Expr) -> String {
        let columns = &self.catalog.table_by_id(table).columns;
        let names = columns.iter().enumerate().map(|(i, column)| (i as Reg, column.name.to_string())).collect();
        Writer { plan: self.plan, catalog: self.catalog, names, out: String::new() }.expr(expr)
    }

    fn call(&self, call: &AggregateCall) -> String {
        format!("{} = {}", self.reg(call.out), self.aggregate(call.kind, call.distinct, call.argument.as_ref()))
    }

    fn aggregate(&self, kind: AggregateKind, distinct: bool, argument: Option<&Expr>) -> String {
        let name = match kind {
            AggregateKind::CountStar | AggregateKind::Count => "count",
            AggregateKind::Sum => "sum",
            AggregateKind::Avg => "avg",
            AggregateKind::Min => "min",
            AggregateKind::Max => "max",
            other => &other.name().to_lowercase(),
        };
        let argument = argument.map_or("*".to_owned(), |argument| self.expr(argument));
        format!("{name}({}{argument})", if distinct { "distinct " } else { "" })
    }

    fn sort_keys(&self, keys: &[SortKey]) -> String {
        let keys = keys.iter().map(|key| {
            let nulls = match (key.descending, key.nulls_first) {
                (false, true) | (true, false) => "",
                (false, false) => " nulls last",
                (true, true) => " nulls first",
            };
            format!("{}{}{nulls}", self.expr(&key.expr), if key.descending { " desc" } else { "" })
        });
        keys.collect::<Vec<_>>().join(", ")
    }

    fn table(&self, table: TableId) -> &str {
        self.catalog.table_by_id(table).name.as_str()
    }

    fn reg(&self, reg: Reg) -> String {
        self.names.get(&reg).cloned().unwrap_or_else(|| format!("${reg}"))
    }

    fn assigned(&self, exprs: &[(Reg, Expr)]) -> String {
        let parts = exprs.iter().map(|(reg, expr)| format!("{} = {}", self.reg(*reg), self.expr(expr)));
        parts.collect::<Vec<_>>().join(", ")
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr)).collect::<Vec<_>>().join(", ")
    }

    /// An operand: in parentheses if it has operators itself.
    fn operand(&self, expr: &Expr) -> String {
        let compound = matches!(
            expr.kind,
            ExprKind::Arithmetic { .. }
                | ExprKind::Compare { .. }
                | ExprKind::And(_)
                | ExprKind::Or(_)
                | ExprKind::Not(_)
                | ExprKind::IsNull(_)
                | ExprKind::IsTruth(..)
                | ExprKind::InList { .. }
                | ExprKind::Like { .. }
                | ExprKind::StartsWith { .. }
        );
        if compound { format!("({})", self.expr(expr)) } else { self.expr(expr) }
    }

    fn expr(&self, expr: &Expr) -> String {
        let join = |list: &[Expr], word: &str| {
            list.iter().map(|term| self.operand(term)).collect::<Vec<_>>().join(&format!(" {word} "))
        };
        match &expr.kind {
            ExprKind::Literal(value) => literal(value),
            ExprKind::Reg(reg) => self.reg(*reg),
            ExprKind::Arithmetic { op, left, right } => {
                format!("{} {} {}", self.operand(left), arithmetic_symbol(*op), self.operand(right))
            }
            ExprKind::Negate(operand) => format!("-{}", self.operand(operand)),
            ExprKind::Compare { op, left, right } => {
                format!("{} {} {}", self.operand(left), comparison_symbol(*op), self.operand(right))
            }
            ExprKind::And(terms) => join(terms, "and"),
            ExprKind::Or(terms) => join(terms, "or"),
            ExprKind::Not(operand) => format!("not {}", self.operand(operand)),
            ExprKind::IsNull(operand) => format!("{} is null", self.operand(operand)),
            ExprKind::IsTruth(operand, truth) => {
                let word = truth.map_or("unknown".to_owned(), |truth| truth.to_string());
                format!("{} is {word}", self.operand(operand))
            }
            ExprKind::InList { operand, list } => format!("{} in ({})", self.operand(operand), self.list(list)),
            ExprKind::Case { branches, otherwise } => {
                let mut text = "case".to_owned();
                for (condition, value) in branches {
                    let _ = write!(text, " when {} then {}", self.expr(condition), self.expr(value));
                }
                if let Some(value) = otherwise {
                    let _ = write!(text, " else {}", self.expr(value));
                }
                text + " end"
            }
            ExprKind::Coalesce(list) => format!("coalesce({})", self.list(list)),
            ExprKind::Cast(operand) => format!("cast({} as {})", self.expr(operand), expr.ty),
            ExprKind::Like { operand, pattern, escape, case_insensitive } => {
                let word = if *case_insensitive { "ilike" } else { "like" };
                let escape = escape.map_or(String::new(), |c| format!(" escape '{c}'"));
                format!("{} {word} {}{escape}", self.operand(operand), self.operand(pattern))
            }
            ExprKind::StartsWith { operand, prefix } => {
                format!("{} starts with {}", self.operand(operand), self.operand(prefix))
            }
            ExprKind::Function { function, arguments } => {
                format!("{}({})", function.name().to_lowercase(), self.list(arguments))
            }
            ExprKind::Now => "now".to_owned(),
            ExprKind::Subquery { index, .. } => format!("(subquery {})", index + 1),
        }
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Bytes(_) => format!("X'{value}'"),
        Value::Timestamp(_) => format!("timestamp '{value}'"),
        Value::Null => "null".to_owned(),
        value => value.to_string(),
    }
}

fn joined(kind: JoinKind, how: &str) -> String {
    match kind {
        JoinKind::Inner => how[..1].to_uppercase() + &how[1..],
        JoinKind::Left => format!("Left {how}"),
        JoinKind::Full => format!("Full {how}"),
        JoinKind::Semi => format!("Semi {how}"),
        JoinKind::Anti => format!("Anti {how}"),
    }
}

fn comparison_symbol(op: Comparison) -> &'static str {
    match op {
        Comparison::Eq => "=",
        Comparison::NotEq => "<>",
        Comparison::Lt => "<",
        Comparison::LtEq => "<=",
        Comparison::Gt => ">",
        Comparison::GtEq => ">=",
        Comparison::IsDistinct => "is distinct from",
        Comparison::IsNotDistinct => "is not distinct from",
    }
}
