//! The Election view: contestants, and the map of the United States in tiles, each lettered and coloured by its winner.

use crate::bench::database::{HEATMAP_SQL, STANDING_SQL};
use crate::bench::tui::canvas::Canvas;
use crate::bench::tui::election::{standing, votes_line};
use crate::bench::tui::model::Figures;
use crate::bench::units;

/// The states about where they lie, a tile each; none: sea and neighbours.
const GRID: [&str; 8] = [
    "AK -- -- -- -- -- -- -- -- -- ME",
    "-- -- -- -- -- -- -- -- -- VT NH",
    "WA ID MT ND MN IL WI MI NY RI MA",
    "OR NV WY SD IA IN OH PA NJ CT --",
    "CA UT CO NE MO KY WV VA MD DE --",
    "-- AZ NM KS AR TN NC SC DC -- --",
    "-- -- -- OK LA MS AL GA -- -- --",
    "HI -- -- TX -- -- -- -- FL -- --",
];
const GRID_COLUMNS: usize = 11;

/// Columns and rows of a tile, as large as the room allows; none: no room for the map.
fn tile(width: usize, height: usize) -> Option<(usize, usize)> {
    let fits = |&(w, h): &(usize, usize)| w * GRID_COLUMNS <= width && h * GRID.len() <= height;
    [(12, 6), (10, 5), (8, 4), (6, 3), (4, 2), (5, 1), (3, 1)].into_iter().find(fits)
}

/// Draws the map from the canvas's corner; gives its width and height, 0 without room.
fn map(canvas: &mut Canvas<'_>, winners: &[(String, i32)]) -> (usize, usize) {
    let Some((width, height)) = tile(canvas.width(), canvas.height()) else { return (0, 0) };
    let theme = canvas.theme;
    for (row, states) in GRID.iter().enumerate() {
        for (column, state) in states.split(' ').enumerate().filter(|(_, state)| *state != "--") {
            let winner = winners.iter().find(|(name, _)| name == state).map(|(_, contestant)| *contestant);
            let style = winner.map_or(theme.dim(), |contestant| theme.contestant(contestant));
            let number = winner.map_or_else(|| "·".to_owned(), |contestant| contestant.to_string());
            // A column stays free between tiles where there is room, so that equal colours keep their borders.
            let inner = if width > 3 { width - 1 } else { width };
            let mut part = canvas.part(column * width, row * height, inner, height);
            for y in 0..height {
                part.put(0, y, &" ".repeat(inner), style);
            }
            if height == 1 {
                part.put(0, 0, &format!("{state}{number}"), style);
            } else {
                part.put((inner - 2) / 2, (height - 1) / 2, state, style);
                part.put((inner - 1) / 2, (height - 1) / 2 + 1, &number, style);
            }
        }
    }
    (GRID_COLUMNS * width, GRID.len() * height)
}

/// Draws the whole view: votes, contestants, the map below or beside them, and the SQL that it came from.
pub fn election_view(canvas: &mut Canvas<'_>, figures: &Figures) {
    let (width, height) = (canvas.width(), canvas.height());
    let (theme, election) = (canvas.theme, &figures.election);
    votes_line(&mut canvas.part(0, 0, width, 1), &figures.votes, figures.errors);
    let contestants = election.standing.len().max(1);
    let sql = sql_lines(election.took.as_nanos() as u64, width.saturating_sub(2));
    let sql_rows = if height >= 16 { sql.len().min(height.saturating_sub(contestants + 14).max(2)) } else { 0 };
    let room = height.saturating_sub(2 + sql_rows);
    // Beside the map where both have their room; else below the contestants, if there is any left.
    let beside = width >= 120 && room >= 8;
    let (list_width, map_x, map_y) = if beside { (64, 66, 0) } else { (width, 1, contestants + 1) };
    standing(&mut canvas.part(0, 2, list_width, contestants.min(room)), &election.standing);
    let map_room = room.saturating_sub(map_y);
    let (map_width, map_height) =
        map(&mut canvas.part(map_x, 2 + map_y, width.saturating_sub(map_x + 1), map_room), &election.winners);
    if map_width == 0 && map_room > 0 && !beside {
        canvas.part(1, 2 + map_y, width.saturating_sub(1), 1).put(0, 0, "no room for the map", theme.dim());
    } else if map_height > 0 && !beside && map_width + 14 < width {
        let mut legend = canvas.part(map_width + 3, 2 + map_y, width - map_width - 4, map_height);
        let names = election.standing.iter().map(|contestant| (contestant.number, contestant.name.as_str()));
        for (y, (number, name)) in names.enumerate() {
            let style = theme.contestant(number);
            legend.put(0, y, &format!("{number:>2} "), style);
            legend.put(4, y, name, theme.plain());
        }
    }
    for (row, line) in sql.iter().take(sql_rows).enumerate() {
        canvas.put(1, height - sql_rows + row, line, theme.dim());
    }
}

/// What was asked and how long the answer took, in lines of at most `width`.
fn sql_lines(took_ns: u64, width: usize) -> Vec<String> {
    let text = STANDING_SQL.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut lines = vec![format!("asked while votes come in, answered in {}:", units::duration(took_ns))];
    let mut line = String::new();
    for word in format!("{text}; {HEATMAP_SQL};").split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::workloads::voter::area_codes;
    use std::collections::BTreeSet;

    #[test]
    fn the_map_has_every_state_of_the_area_codes_once() {
        let tiles: Vec<&str> = GRID.iter().flat_map(|row| row.split(' ')).filter(|state| *state != "--").collect();
        let known: BTreeSet<&str> = area_codes().into_iter().map(|(_, state)| state).collect();
        assert_eq!(tiles.len(), 51);
        assert_eq!(tiles.into_iter().collect::<BTreeSet<_>>(), known);
        assert!(GRID.iter().all(|row| row.split(' ').count() == GRID_COLUMNS));
    }

    #[test]
    fn tiles_are_as_large_as_the_room_allows() {
        assert_eq!(
            [tile(44, 16), tile(43, 16), tile(200, 8), tile(32, 50)],
            [Some((4, 2)), Some((3, 1)), Some((5, 1)), None]
        );
    }
}
