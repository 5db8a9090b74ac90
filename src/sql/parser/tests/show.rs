//! Trees in short: prefix notation for expressions, clauses in order for the rest.

use crate::sql::ast::*;

fn list<T>(items: &[T], one: impl Fn(&T) -> String) -> String {
    items.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn option<T>(item: &Option<T>, one: impl Fn(&T) -> String) -> String {
    item.as_ref().map_or(String::new(), one)
}

pub fn expr(e: &Expr) -> String {
    let not = |negated: &bool| if *negated { "not-" } else { "" };
    match &e.kind {
        ExprKind::Literal(value) => match value {
            crate::types::Value::Text(text) => format!("'{text}'"),
            value => value.to_string(),
        },
        ExprKind::Placeholder(index) => format!("?{index}"),
        ExprKind::Variable(name) => format!(":{}", name.name),
        ExprKind::Column { qualifier, column } => {
            format!("{}{}", option(qualifier, |q| format!("{}.", q.name)), column.name)
        }
        ExprKind::Unary { op, operand } => format!("({op:?} {})", expr(operand)).to_lowercase(),
        ExprKind::Binary { op, left, right } => format!("({} {} {})", op.symbol(), expr(left), expr(right)),
        ExprKind::IsNull { operand, negated } => format!("({}null {})", not(negated), expr(operand)),
        ExprKind::IsTruth { operand, truth, negated } => format!("({}is {truth:?} {})", not(negated), expr(operand)),
        ExprKind::Between { operand, low, high, negated } => {
            format!("({}between {} {} {})", not(negated), expr(operand), expr(low), expr(high))
        }
        ExprKind::InList { operand, list: l, negated } => {
            format!("({}in {} {})", not(negated), expr(operand), list(l, expr))
        }
        ExprKind::InSubquery { operand, query: q, negated } => {
            format!("({}in {} {})", not(negated), expr(operand), query(q))
        }
        ExprKind::Like { operand, pattern, escape, negated, case_insensitive } => format!(
            "({}{} {} {}{})",
            not(negated),
            if *case_insensitive { "ilike" } else { "like" },
            expr(operand),
            expr(pattern),
            option(escape, |e| format!(" escape {}", expr(e)))
        ),
        ExprKind::StartsWith { operand, prefix, negated } => {
            format!("({}starts {} {})", not(negated), expr(operand), expr(prefix))
        }
        ExprKind::Case { operand, branches, otherwise } => format!(
            "(case{} {}{})",
            option(operand, |o| format!(" {}", expr(o))),
            list(branches, |(when, then)| format!("[{} {}]", expr(when), expr(then))),
            option(otherwise, |o| format!(" {}", expr(o)))
        ),
        ExprKind::Cast { operand, data_type } => format!("(cast {} {data_type})", expr(operand)),
        ExprKind::Function(f) => format!(
            "{}({}{}{}){}",
            f.name.name,
            if f.star { "*" } else { "" },
            if f.distinct { "distinct " } else { "" },
            list(&f.arguments, expr),
            option(&f.over, |w| format!(
                " over [{}|{}|{}]",
                list(&w.partition_by, expr),
                list(&w.order_by, order),
                option(&w.frame, |f| format!(
                    "{} {} {}",
                    format!("{:?}", f.unit).to_lowercase(),
                    bound(&f.start),
                    bound(&f.end)
                ))
            ))
        ),
        ExprKind::Exists { query: q, negated } => format!("({}exists {})", not(negated), query(q)),
        ExprKind::Scalar(q) => query(q),
        ExprKind::Quantified { left, op, all, query: q } => {
            format!("({}-{} {} {})", op.symbol(), if *all { "all" } else { "any" }, expr(left), query(q))
        }
        ExprKind::Row(members) => format!("(row {})", list(members, expr)),
    }
}

fn bound(bound: &FrameBound) -> String {
    match bound {
        FrameBound::Preceding(e) => format!("-{}", expr(e)),
        FrameBound::Following(e) => format!("+{}", expr(e)),
        FrameBound::UnboundedPreceding => "-*".to_owned(),
        FrameBound::UnboundedFollowing => "+*".to_owned(),
        FrameBound::CurrentRow => "0".to_owned(),
    }
}

fn order(o: &OrderBy) -> String {
    let nulls = match o.nulls_first {
        None => "",
        Some(true) => " nulls-first",
        Some(false) => " nulls-last",
    };
    format!("{}{}{nulls}", expr(&o.expr), if o.descending { " desc" } else { "" })
}

fn item(item: &SelectItem) -> String {
    match item {
        SelectItem::Wildcard(_) => "*".to_owned(),
        SelectItem::QualifiedWildcard(t) => format!("{}.*", t.name),
        SelectItem::Expr { expr: e, alias } => format!("{}{}", expr(e), option(alias, |a| format!(":{}", a.name))),
    }
}

fn names(idents: &[Ident]) -> String {
    list(idents, |i| i.name.to_string())
}

fn table(t: &TableRef) -> String {
    match t {
        TableRef::Table { name, alias } => format!("{}{}", name.name, option(alias, |a| format!(":{}", a.name))),
        TableRef::Subquery { query: q, alias, columns, .. } => {
            format!("{}{}({})", query(q), option(alias, |a| format!(":{}", a.name)), names(columns))
        }
        TableRef::Join { left, right, kind, constraint } => {
            let constraint = match constraint {
                JoinConstraint::None => String::new(),
                JoinConstraint::On(e) => format!(" on {}", expr(e)),
                JoinConstraint::Using(columns) => format!(" using {}", names(columns)),
                JoinConstraint::Natural => " natural".to_owned(),
            };
            format!("<{} {kind:?} {}{constraint}>", table(left), table(right))
        }
    }
}

pub fn query(q: &Query) -> String {
    let mut out = String::from("{");
    for t in &q.with {
        out += &format!(
            "with{} {}({}) {} ",
            if q.recursive { "-recursive" } else { "" },
            t.name.name,
            names(&t.columns),
            query(&t.query)
        );
    }
    out += &body(&q.body);
    if !q.order_by.is_empty() {
        out += &format!(" order {}", list(&q.order_by, order));
    }
    out += &option(&q.limit, |e| format!(" limit {}", expr(e)));
    out += &option(&q.offset, |e| format!(" offset {}", expr(e)));
    out + "}"
}

fn body(b: &QueryBody) -> String {
    match b {
        QueryBody::Values(rows) => list(rows, |row| format!("[{}]", list(row, expr))),
        QueryBody::SetOperation { op, all, left, right } => {
            format!("({op:?}{} {} {})", if *all { "-all" } else { "" }, body(left), body(right)).to_lowercase()
        }
        QueryBody::Nested(q) => query(q),
        QueryBody::Select(s) => {
            let mut out = format!("select{} {}", if s.distinct { "-distinct" } else { "" }, list(&s.items, item));
            if !s.from.is_empty() {
                out += &format!(" from {}", list(&s.from, table));
            }
            out += &option(&s.filter, |e| format!(" where {}", expr(e)));
            if !s.group_by.is_empty() {
                out += &format!(" group {}", list(&s.group_by, expr));
            }
            out + &option(&s.having, |e| format!(" having {}", expr(e)))
        }
    }
}

fn returning(items: &[SelectItem]) -> String {
    if items.is_empty() { String::new() } else { format!(" returning {}", list(items, item)) }
}

pub fn show(s: &Statement) -> String {
    match s {
        Statement::Query(q) => query(q),
        Statement::Insert(i) => {
            let source = match &i.source {
                InsertSource::Values(rows) => list(rows, |row| format!("[{}]", list(row, expr))),
                InsertSource::Query(q) => query(q),
                InsertSource::Defaults => "defaults".to_owned(),
            };
            let verb = if i.upsert { "upsert" } else { "insert" };
            let conflict = option(&i.conflict, |c| {
                let update = option(&c.update, |u| {
                    let set = list(&u.assignments, |(c, e)| format!("{}={}", c.name, expr(e)));
                    format!(" {set}{}", option(&u.filter, |e| format!(" where {}", expr(e))))
                });
                format!(" conflict({}){update}", names(&c.target))
            });
            format!("{verb} {}({}) {source}{conflict}{}", i.table.name, names(&i.columns), returning(&i.returning))
        }
        Statement::Update(u) => format!(
            "update {}{} {}{}{}",
            u.table.name,
            option(&u.alias, |a| format!(":{}", a.name)),
            list(&u.assignments, |(c, e)| format!("{}={}", c.name, expr(e))),
            option(&u.filter, |e| format!(" where {}", expr(e))),
            returning(&u.returning)
        ),
        Statement::Delete(d) => format!(
            "delete {}{}{}{}{}{}{}",
            d.table.name,
            option(&d.alias, |a| format!(":{}", a.name)),
            option(&d.filter, |e| format!(" where {}", expr(e))),
            if d.order_by.is_empty() { String::new() } else { format!(" order {}", list(&d.order_by, order)) },
            option(&d.limit, |e| format!(" limit {}", expr(e))),
            option(&d.offset, |e| format!(" offset {}", expr(e))),
            returning(&d.returning)
        ),
        Statement::Truncate { table } => format!("truncate {}", table.name),
        Statement::Exec(e) => format!("exec {}({})", e.procedure.name, list(&e.arguments, expr)),
        Statement::LoadProcedures { folder } => format!("load-procedures {folder}"),
        Statement::ExplainProcedure(name) => format!("explain-procedure {}", name.name),
        Statement::Trace(exec) => format!("trace {}", show(&Statement::Exec(exec.clone()))),
        Statement::Explain(s) => format!("explain {}", show(s)),
        Statement::Ddl(d) => ddl(d),
    }
}

fn ddl(d: &Ddl) -> String {
    match d {
        Ddl::CreateTable(t) => format!(
            "table{} {} [{}] [{}]",
            if t.if_not_exists { "?" } else { "" },
            t.name.name,
            list(&t.columns, column),
            list(&t.constraints, |c| format!(
                "{}{}",
                option(&c.name, |n| format!("{}=", n.name)),
                match &c.kind {
                    ConstraintKind::Key { kind, columns } => format!("{kind:?}({})", list(columns, expr)),
                    ConstraintKind::Check(e) => format!("check {}", expr(e)),
                }
            ))
        ),
        Ddl::PartitionTable { table, column } => format!("partition {} {}", table.name, column.name),
        Ddl::ReplicateTable { table } => format!("replicate {}", table.name),
        Ddl::CreateIndex(i) => format!(
            "index {} {}({}){}{}{}{}",
            i.name.name,
            i.table.name,
            list(&i.columns, expr),
            if i.unique { " unique" } else { "" },
            if i.assume_unique { " assumeunique" } else { "" },
            if i.hash { " hash" } else { "" },
            option(&i.filter, |e| format!(" where {}", expr(e)))
        ),
        Ddl::CreateView(v) => format!(
            "view{}{} {}({}) {}{}",
            if v.or_replace { "!" } else { "" },
            if v.materialized { " materialized" } else { "" },
            v.name.name,
            names(&v.columns),
            query(&v.query),
            option(&v.ttl, ttl)
        ),
        Ddl::AlterTable { table, action } => format!("alter {} {}", table.name, alter(action)),
        Ddl::AlterView { view, ttl: t } => format!("alter-view {}{}", view.name, option(t, ttl)),
        Ddl::CreateProcedure(p) => format!(
            "procedure{} {}{}{}{} {}",
            if p.or_replace { "!" } else { "" },
            p.name.name,
            option(&p.parameters, |p| format!(
                "({})",
                list(p, |p| format!(
                    "{} {}{}",
                    p.name.name,
                    p.data_type,
                    option(&p.default, |e| format!("={}", expr(e)))
                ))
            )),
            format_args!(
                "{}{}{}",
                if p.directed { " directed" } else { "" },
                option(&p.partition, partition),
                if p.roles.is_empty() { String::new() } else { format!(" allow {}", names(&p.roles)) }
            ),
            option(&p.returns, |t| format!(" returns {t}")),
            match &p.body {
                Body::Block(body) => psm(body),
                Body::Statement(s) => show(s),
            }
        ),
        Ddl::ProcedureFromClass { class, partition: p, .. } => format!("class {}{}", class.name, option(p, partition)),
        Ddl::PartitionProcedure { name, partition: p } => format!("partition-procedure {}{}", name.name, partition(p)),
        Ddl::CreateRole { name, permissions } => format!("role {}({})", name.name, names(permissions)),
        Ddl::Drop { kind, name, if_exists, cascade } => format!(
            "drop {kind:?} {}{}{}",
            name.name,
            if *if_exists { " if-exists" } else { "" },
            if *cascade { " cascade" } else { "" }
        ),
        Ddl::LoadClasses { text } => format!("classes {text}"),
    }
}

fn column(c: &ColumnDef) -> String {
    format!(
        "{} {}{}{}{}{};",
        c.name.name,
        c.data_type,
        if c.not_null { " not-null" } else { "" },
        option(&c.default, |e| format!(" default {}", expr(e))),
        option(&c.key, |k| format!(" {k:?}")),
        option(&c.check, |e| format!(" check {}", expr(e)))
    )
}

fn partition(p: &PartitionClause) -> String {
    format!(" on {}.{}{}", p.table.name, p.column.name, option(&p.parameter, |k| format!(" #{k}")))
}

pub fn psm(body: &[Psm]) -> String {
    format!("<{}>", body.iter().map(psm_one).collect::<Vec<_>>().join("; "))
}

fn psm_one(s: &Psm) -> String {
    let label = |l: &Option<Ident>| option(l, |l| format!("{}:", l.name));
    let branches = |b: &[(Expr, Vec<Psm>)]| list(b, |(e, body)| format!("{} {}", expr(e), psm(body)));
    match &s.kind {
        PsmKind::Declare { names: n, data_type, default } => {
            format!("declare {} {data_type}{}", names(n), option(default, |e| format!(" {}", expr(e))))
        }
        PsmKind::DeclareRow { names: n, columns } => match columns {
            RowColumns::Of(table) => format!("declare {} row of {}", names(n), table.name),
            RowColumns::Listed(list) => {
                let list: Vec<String> = list.iter().map(|(name, ty)| format!("{} {ty}", name.name)).collect();
                format!("declare {} row ({})", names(n), list.join(", "))
            }
        },
        PsmKind::DeclareCondition { name, sqlstate } => format!("condition {} {sqlstate}", name.name),
        PsmKind::DeclareHandler { exit, conditions, body } => {
            let conditions: Vec<String> = conditions
                .iter()
                .map(|c| match c {
                    Condition::SqlState(state) => state.clone(),
                    Condition::Named(name) => name.name.to_string(),
                    other => format!("{other:?}"),
                })
                .collect();
            format!("{} for {} {}", if *exit { "exit" } else { "continue" }, conditions.join(", "), psm(body))
        }
        PsmKind::DeclareCursor { name, query: q } => format!("cursor {} {}", name.name, query(q)),
        PsmKind::Open { cursor } => format!("open {}", cursor.name),
        PsmKind::Fetch { cursor, targets } => format!("fetch {} {}", cursor.name, names(targets)),
        PsmKind::Close { cursor } => format!("close {}", cursor.name),
        PsmKind::Repeat { label: l, body, until } => format!("{}repeat {} until {}", label(l), psm(body), expr(until)),
        PsmKind::Resignal { state, message } => {
            format!("resignal {}{}", option(state, signal_state), option(message, |m| format!(" {}", expr(m))))
        }
        PsmKind::Diagnostics(items) => {
            format!("diagnostics {}", list(items, |(x, item)| format!("{} {item:?}", x.name)))
        }
        PsmKind::Status { code, text } => format!("status {}{}", expr(code), option(text, |t| format!(" {}", expr(t)))),
        PsmKind::Call { exec, into } => {
            let call = show(&Statement::Exec(exec.clone()));
            format!("{call}{}", option(into, |x| format!(" into {}", x.name)))
        }
        PsmKind::Set { row, target, value } => {
            format!("set {}{} {}", option(row, |r| format!("{}.", r.name)), target.name, expr(value))
        }
        PsmKind::SelectInto { targets, query: q, expect: e } => {
            format!("into {} {}{}", names(targets), query(q), expect(e))
        }
        PsmKind::If { branches: b, otherwise } => format!("if {} else {}", branches(b), psm(otherwise)),
        PsmKind::Case { operand, branches: b, otherwise } => {
            format!(
                "case {} {}{}",
                option(operand, expr),
                branches(b),
                option(otherwise, |o| format!(" else {}", psm(o)))
            )
        }
        PsmKind::While { label: l, condition, body } => format!("{}while {} {}", label(l), expr(condition), psm(body)),
        PsmKind::For { label: l, row, query: q, body } => {
            format!("{}for {} {} {}", label(l), row.name, query(q), psm(body))
        }
        PsmKind::Loop { label: l, body } => format!("{}loop {}", label(l), psm(body)),
        PsmKind::Leave { label } => format!("leave {}", option(label, |l| l.name.to_string())),
        PsmKind::Iterate { label } => format!("iterate {}", option(label, |l| l.name.to_string())),
        PsmKind::Block(body) => psm(body),
        PsmKind::Return(e) => format!("return {}", option(e, expr)),
        PsmKind::Signal { state, message } => format!("signal {} {}", signal_state(state), option(message, expr)),
        PsmKind::Sql { statement, expect: e } => format!("{}{}", show(statement), expect(e)),
    }
}

fn ttl(t: &Ttl) -> String {
    format!(" ttl {}s {} {} {}", t.seconds, t.column.name, t.batch_size, t.max_frequency)
}

fn alter(action: &AlterTable) -> String {
    match action {
        AlterTable::AddColumn { column: c, before, if_not_exists } => format!(
            "add {}{}{}",
            column(c),
            option(before, |b| format!(" before {}", b.name)),
            if *if_not_exists { " if-not-exists" } else { "" }
        ),
        AlterTable::DropColumn { column, if_exists, cascade } => format!(
            "drop {}{}{}",
            column.name,
            if *if_exists { " if-exists" } else { "" },
            if *cascade { " cascade" } else { "" }
        ),
        AlterTable::RedefineColumn(c) => format!("column {}", column(c)),
        AlterTable::SetType { column, data_type } => format!("type {} {data_type}", column.name),
        AlterTable::SetDefault { column, default } => {
            format!("default {}{}", column.name, option(default, |e| format!("={}", expr(e))))
        }
        AlterTable::SetNotNull { column, not_null } => format!("not-null {} {not_null}", column.name),
        AlterTable::AddConstraint(c) => format!("constraint{}", option(&c.name, |n| format!(" {}", n.name))),
        AlterTable::DropPrimaryKey(_) => "drop primary-key".to_owned(),
        AlterTable::DropConstraint { name, if_exists } => {
            format!("drop-constraint {}{}", name.name, if *if_exists { " if-exists" } else { "" })
        }
        AlterTable::RenameTable(to) => format!("rename {}", to.name),
        AlterTable::RenameColumn { from, to } => format!("rename {} {}", from.name, to.name),
        AlterTable::SetTtl(t) => format!("set{}", ttl(t)),
        AlterTable::DropTtl => "drop ttl".to_owned(),
    }
}

fn signal_state(state: &SignalState) -> String {
    match state {
        SignalState::SqlState(state) => state.clone(),
        SignalState::Named(name) => name.name.to_string(),
    }
}

fn expect(e: &Option<Expect>) -> String {
    option(e, |e| match &e.kind {
        ExpectKind::Rows { least, most } => format!(" expect {least}..{}", option(most, |m| m.to_string())),
        ExpectKind::Scalar(value) => format!(" expect scalar {}", option(value, expr)),
    })
}
