//! What \chart draws: the kind of picture, where it goes, and the query.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChartKind {
    #[default]
    Bars,
    Lines,
    Heat,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartCommand {
    pub kind: ChartKind,
    /// An SVG file; None draws on the terminal.
    pub file: Option<String>,
    /// None: the last query.
    pub query: Option<String>,
}

impl ChartCommand {
    /// `[bars|lines|heat] [-o file.svg] [query]`
    pub fn parse(rest: &str) -> Result<ChartCommand, String> {
        let mut command = ChartCommand::default();
        let mut rest = rest.trim().trim_end_matches(';').trim();
        loop {
            let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            match word.to_ascii_lowercase().as_str() {
                "bars" | "bar" => command.kind = ChartKind::Bars,
                "lines" | "line" => command.kind = ChartKind::Lines,
                "heat" | "heatmap" => command.kind = ChartKind::Heat,
                "-o" => {
                    let (path, after) =
                        after.trim_start().split_once(char::is_whitespace).unwrap_or((after.trim(), ""));
                    if path.is_empty() {
                        return Err("\\chart -o needs the path of an SVG file".to_owned());
                    }
                    command.file = Some(path.trim_matches(['\'', '"']).to_owned());
                    rest = after.trim();
                    continue;
                }
                _ => break,
            }
            rest = after.trim();
        }
        command.query = (!rest.is_empty()).then(|| rest.to_owned());
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_a_kind_a_file_and_a_query_and_may_have_none() {
        assert_eq!(ChartCommand::parse(" ; "), Ok(ChartCommand::default()));
        assert_eq!(
            ChartCommand::parse("lines -o 'a.svg' SELECT 1;"),
            Ok(ChartCommand { kind: ChartKind::Lines, file: Some("a.svg".into()), query: Some("SELECT 1".into()) })
        );
        assert!(ChartCommand::parse("heat -o").is_err());
    }
}
