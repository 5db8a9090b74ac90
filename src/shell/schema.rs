//! The schema as statements and as a picture.

use super::database::{ProcedureSummary, TableKind, TableSummary};
use super::nearest::suggestion;

/// The statements, without semicolons, that make the tables, views and procedures, or one table: in an order in which they
/// can run.
pub fn statements(
    tables: &[TableSummary],
    procedures: &[ProcedureSummary],
    name: Option<&str>,
) -> Result<Vec<String>, String> {
    let chosen = chosen(tables, name)?;
    let mut out = Vec::new();
    for table in chosen.iter().filter(|table| table.kind == TableKind::Table) {
        out.push(create_table(table));
        if let Some(column) = &table.partitioned_on {
            out.push(format!("PARTITION TABLE {} ON COLUMN {column}", table.name));
        }
        for index in table.indexes.iter().filter(|index| !index.is_of_constraint) {
            let unique = if index.is_unique { "UNIQUE " } else { "" };
            out.push(format!("CREATE {unique}INDEX {} ON {} ({})", index.name, table.name, index.columns));
        }
    }
    for view in chosen.iter().filter(|table| table.kind == TableKind::View) {
        let columns: Vec<&str> = view.columns.iter().map(|column| column.name.as_str()).collect();
        out.push(format!("CREATE VIEW {} ({}) AS {}", view.name, columns.join(", "), view.text));
    }
    if name.is_none() {
        out.extend(procedures.iter().map(|procedure| procedure.text.clone()).filter(|text| !text.is_empty()));
    }
    Ok(out)
}

fn chosen<'t>(tables: &'t [TableSummary], name: Option<&str>) -> Result<Vec<&'t TableSummary>, String> {
    let Some(name) = name else { return Ok(tables.iter().collect()) };
    match tables.iter().find(|table| table.name.eq_ignore_ascii_case(name)) {
        Some(table) => Ok(vec![table]),
        None => {
            let near = suggestion(name, tables.iter().map(|table| table.name.as_str()));
            Err(format!("no table or view {name}{near}"))
        }
    }
}

fn create_table(table: &TableSummary) -> String {
    let mut lines: Vec<String> = table
        .columns
        .iter()
        .map(|column| {
            let default = column.default_text.as_ref().map_or(String::new(), |text| format!(" DEFAULT {text}"));
            format!("  {} {}{default}{}", column.name, column.type_text, if column.nullable { "" } else { " NOT NULL" })
        })
        .collect();
    if !table.primary_key.is_empty() {
        lines.push(format!("  PRIMARY KEY ({})", table.primary_key.join(", ")));
    }
    let key = table.primary_key.join(", ");
    let unique = table.indexes.iter().filter(|index| index.is_of_constraint && index.is_unique && index.columns != key);
    lines.extend(unique.map(|index| format!("  UNIQUE ({})", index.columns)));
    format!("CREATE TABLE {} (\n{}\n)", table.name, lines.join(",\n"))
}

/// True if `text` has `name` as a word, without regard to case.
pub fn mentions(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.split(|c: char| !is_word(c)).any(|word| word.eq_ignore_ascii_case(name))
}

/// Tables as boxes, with their keys, views under them and the procedures that touch them beside.
pub fn picture(tables: &[TableSummary], procedures: &[ProcedureSummary], name: Option<&str>) -> Result<String, String> {
    let chosen = chosen(tables, name)?;
    let mut out = String::new();
    for table in chosen.iter().filter(|table| table.kind == TableKind::Table || name.is_some()) {
        out.push_str(&boxed(table));
        for view in tables.iter().filter(|view| view.kind == TableKind::View && mentions(&view.text, &table.name)) {
            out.push_str(&format!("   └─ view {}: {}\n", view.name, one_line(&view.text)));
        }
        let touching: Vec<String> = procedures
            .iter()
            .filter(|procedure| mentions(&procedure.text, &table.name))
            .map(|procedure| format!("{} ({})", procedure.name, touch(&procedure.text, &table.name)))
            .collect();
        if !touching.is_empty() {
            out.push_str(&format!("   ↔ {}\n", touching.join(", ")));
        }
        out.push('\n');
    }
    Ok(out)
}

/// `reads`, `writes` or both, by the words before the table's name.
fn touch(text: &str, table: &str) -> &'static str {
    let words: Vec<String> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let table = table.to_ascii_lowercase();
    let (mut reads, mut writes) = (false, false);
    for pair in words.windows(2).filter(|pair| pair[1] == table) {
        match pair[0].as_str() {
            "into" | "update" => writes = true,
            "from" if words.contains(&"delete".to_owned()) && !words.contains(&"select".to_owned()) => writes = true,
            _ => reads = true,
        }
    }
    match (reads, writes) {
        (true, true) => "reads and writes",
        (false, true) => "writes",
        _ => "reads",
    }
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn boxed(table: &TableSummary) -> String {
    let mark = |name: &str| {
        let mut marks = Vec::new();
        if table.primary_key.iter().any(|key| key == name) {
            marks.push("key");
        }
        if table.partitioned_on.as_deref() == Some(name) {
            marks.push("partition");
        }
        marks.join(", ")
    };
    let rows: Vec<[String; 3]> = table
        .columns
        .iter()
        .map(|column| {
            let null = if column.nullable { "" } else { " not null" };
            [column.name.clone(), format!("{}{null}", column.type_text), mark(&column.name)]
        })
        .collect();
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let title = super::listing::summary(table);
    let inner = (widths.iter().sum::<usize>() + 4).max(title.chars().count());
    let mut out = format!(" ┌{}┐\n │ {title:inner$} │\n ├{}┤\n", "─".repeat(inner + 2), "─".repeat(inner + 2));
    for [name, ty, marks] in &rows {
        let line = format!("{name:a$}  {ty:b$}  {marks:c$}", a = widths[0], b = widths[1], c = widths[2]);
        out.push_str(&format!(" │ {line:inner$} │\n"));
    }
    for index in table.indexes.iter().filter(|index| !index.is_of_constraint) {
        let line = format!("index {} ({}){}", index.name, index.columns, if index.is_unique { " unique" } else { "" });
        out.push_str(&format!(" │ {line:inner$} │\n"));
    }
    out.push_str(&format!(" └{}┘\n", "─".repeat(inner + 2)));
    out
}

#[cfg(test)]
mod tests {
    use super::super::database::ShellDatabase;
    use super::super::fake::FakeDatabase;
    use super::*;

    #[test]
    fn statements_come_in_an_order_in_which_they_can_run() {
        let db = FakeDatabase::default();
        let all = statements(&db.tables(), &db.procedures(), None).unwrap();
        assert_eq!(
            all[0],
            "CREATE TABLE contestants (\n  contestant_number INTEGER NOT NULL,\n  PRIMARY KEY (contestant_number)\n)"
        );
        assert!(all[2].starts_with("PARTITION TABLE votes ON COLUMN phone_number"), "{all:?}");
        assert!(all.last().unwrap().starts_with("CREATE PROCEDURE Vote"));
        assert_eq!(
            statements(&db.tables(), &[], Some("vote")).unwrap_err(),
            "no table or view vote; did you mean votes?"
        );
    }

    #[test]
    fn a_picture_shows_keys_and_who_touches_a_table() {
        let db = FakeDatabase::default();
        let drawn = picture(&db.tables(), &db.procedures(), Some("votes")).unwrap();
        assert!(drawn.contains("│ phone_number  BIGINT not null  partition"), "{drawn}");
        assert!(drawn.contains("↔ Vote (writes)"), "{drawn}");
    }
}
