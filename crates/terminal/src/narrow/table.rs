//! Tables on narrow terminals: columns move together, the text of the last one goes on below itself, and what still has no
//! room follows as a second table with the same first columns.

use super::{width, wrapped};

/// Spaces between columns.
const GAP: usize = 2;

/// Columns that are needed to tell a table from lines with labels.
const LEAST_COLUMNS: usize = 3;

/// With so much room, the text of the last column is broken.
const LEAST_TEXT: usize = 20;

/// The table within so many columns; `None` when the lines are no table, or it has no room.
pub(super) fn fitted(lines: &[&str], columns: usize) -> Option<String> {
    let table = TextTable::read(lines).filter(TextTable::is_one)?;
    let all: Vec<usize> = (0..table.columns.len()).collect();
    if table.width(&all) <= columns {
        return Some(table.text(&all, columns));
    }
    let before_last = table.width(&all[..all.len() - 1]) + GAP;
    if table.last_is_text() && before_last + LEAST_TEXT <= columns {
        return Some(table.text(&all, columns));
    }
    table.in_pieces(columns)
}

/// Cells by columns.
struct TextTable {
    indent: usize,
    columns: Vec<TextColumn>,
    rows: usize,
}

/// A column.
struct TextColumn {
    cells: Vec<String>,
    width: usize,
    /// Whether its cells begin below each other.
    left: bool,
}

impl TextTable {
    /// Columns stand where all lines have at least two spaces.
    fn read(lines: &[&str]) -> Option<Self> {
        let lines: Vec<Vec<char>> = lines.iter().map(|line| line.trim_end().chars().collect()).collect();
        let longest = lines.iter().map(Vec::len).max()?;
        let is_space = |at: usize| lines.iter().all(|line| line.get(at).is_none_or(|c| *c == ' '));
        let spaces: Vec<bool> = (0..longest).map(is_space).collect();
        let indent = spaces.iter().position(|space| !space)?;
        let mut columns = Vec::new();
        let mut from = indent;
        while from < longest {
            let end = (from..longest)
                .find(|at| spaces[*at] && spaces.get(at + 1) == Some(&true))
                .unwrap_or(longest);
            columns.push(TextColumn::read(&lines, from, end));
            from = (end..longest).find(|at| !spaces[*at]).unwrap_or(longest);
        }
        Some(Self { indent, columns, rows: lines.len() })
    }

    /// Lines with labels have fewer columns, and other texts have lines of one piece.
    fn is_one(&self) -> bool {
        let cells = |row: usize| self.columns.iter().filter(|column| !column.cells[row].is_empty()).count();
        self.columns.len() >= LEAST_COLUMNS && (0..self.rows).all(|row| cells(row) > 1)
    }

    fn last_is_text(&self) -> bool {
        self.columns
            .last()
            .is_some_and(|column| column.left && column.cells.iter().any(|cell| cell.contains(' ')))
    }

    /// The width of some columns, set close.
    fn width(&self, columns: &[usize]) -> usize {
        let cells: usize = columns.iter().map(|column| self.columns[*column].width).sum();
        self.indent + cells + GAP * columns.len().saturating_sub(1)
    }

    /// Columns that name a row: those before the first column of numbers, or the first.
    fn names(&self) -> usize {
        self.columns.iter().position(TextColumn::is_numbers).unwrap_or(1).max(1)
    }

    /// As many tables below each other as are needed, each with the columns that name a row.
    fn in_pieces(&self, columns: usize) -> Option<String> {
        let names: Vec<usize> = (0..self.names()).collect();
        let mut pieces = vec![names.clone()];
        for column in names.len()..self.columns.len() {
            let piece = pieces.last_mut()?;
            piece.push(column);
            if self.width(piece) > columns {
                piece.pop();
                pieces.push([names.as_slice(), &[column]].concat());
            }
        }
        let fits = pieces.iter().all(|piece| piece.len() > names.len() && self.width(piece) <= columns);
        let texts: Vec<String> = pieces.iter().map(|piece| self.text(piece, columns)).collect();
        fits.then(|| texts.join("\n"))
    }

    fn text(&self, columns: &[usize], room: usize) -> String {
        (0..self.rows).map(|row| self.line(row, columns, room) + "\n").collect()
    }

    fn line(&self, row: usize, columns: &[usize], room: usize) -> String {
        let cells: Vec<String> = columns.iter().map(|column| self.columns[*column].cell(row)).collect();
        let line = " ".repeat(self.indent) + &cells.join(&" ".repeat(GAP));
        let last = columns.last().map_or(0, |column| self.columns[*column].width);
        wrapped(line.trim_end(), room, self.width(columns) - last)
    }
}

impl TextColumn {
    fn read(lines: &[Vec<char>], from: usize, end: usize) -> Self {
        let cell = |line: &Vec<char>| -> String {
            let end = end.min(line.len());
            line.get(from..end).unwrap_or_default().iter().collect()
        };
        let whole: Vec<String> = lines.iter().map(cell).collect();
        let left = whole.iter().all(|cell| !cell.starts_with(' ') || cell.trim().is_empty());
        let cells: Vec<String> = whole.iter().map(|cell| cell.trim().to_owned()).collect();
        let width = cells.iter().map(|cell| width(cell)).max().unwrap_or(0);
        Self { cells, width, left }
    }

    /// Whether all cells below the head begin with a digit.
    fn is_numbers(&self) -> bool {
        let digit = |cell: &String| cell.starts_with(|c: char| c.is_ascii_digit());
        !self.left || self.cells.iter().skip(1).all(digit)
    }

    fn cell(&self, row: usize) -> String {
        let (cell, width) = (&self.cells[row], self.width);
        if self.left { format!("{cell:width$}") } else { format!("{cell:>width$}") }
    }
}

#[cfg(test)]
mod tests {
    use super::fitted;

    const NUMBERS: &str = "  level       merging             tasks      reuse       work   balance
  none        -                   7,704      0.0 %      2.7 s      1.00
  task        rtma-packed 7       4,326     43.8 %     668 ms      1.00
";

    const TEXT: &str = "  level      tasks      work    because
  none       7,704     2.7 s
  stage      6,424     1.1 s    statistics and normalize read no parameter
";

    fn at(text: &str, columns: usize) -> String {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        fitted(&lines, columns).unwrap()
    }

    #[test]
    fn columns_move_together() {
        let expected = "  level  merging        tasks   reuse    work  balance
  none   -              7,704   0.0 %   2.7 s     1.00
  task   rtma-packed 7  4,326  43.8 %  668 ms     1.00
";
        assert_eq!(at(NUMBERS, 60), expected);
    }

    #[test]
    fn what_has_no_room_follows_below() {
        let expected = "  level  merging        tasks   reuse
  none   -              7,704   0.0 %
  task   rtma-packed 7  4,326  43.8 %

  level  merging          work  balance
  none   -               2.7 s     1.00
  task   rtma-packed 7  668 ms     1.00
";
        assert_eq!(at(NUMBERS, 40), expected);
    }

    #[test]
    fn the_text_of_the_last_column_goes_on_below_itself() {
        let expected = "  level  tasks   work  because
  none   7,704  2.7 s
  stage  6,424  1.1 s  statistics and normalize
                       read no parameter
";
        assert_eq!(at(TEXT, 50), expected);
    }

    #[test]
    fn lines_that_are_no_table_are_left_alone() {
        assert_eq!(fitted(&["time   1 s   or more\n", "short\n"], 10), None);
        assert_eq!(fitted(&["time       about 1 s\n", "memory     43 MiB\n"], 10), None);
    }
}
