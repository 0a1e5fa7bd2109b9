//! The columns of a table with a header: row numbers, roles, parameters, and others.

use std::collections::{HashMap, HashSet};

use csv::StringRecord;
use onceflow_study::{Space, nearest};

use super::TableError;

/// Places of the columns.
pub(super) struct ColumnPlaces {
    reserved: HashMap<&'static str, usize>,
    /// One place for each parameter of the space, in its order.
    pub(super) parameters: Vec<Option<usize>>,
    /// Every other column.
    pub(super) others: Vec<(String, usize)>,
}

/// Columns that are neither parameters nor outputs, under the names other programs have for them.
const RESERVED: [(&str, &[&str]); 8] = [
    ("row", &["row", "%eval_id", "eval_id"]),
    ("role", &["role"]),
    ("base", &["base"]),
    ("replicate", &["replicate"]),
    ("duplicate_of", &["duplicate_of"]),
    ("status", &["status"]),
    ("phase", &["phase"]),
    ("interface", &["interface"]),
];

fn is_reserved(name: &str) -> bool {
    RESERVED.iter().any(|(_, names)| names.contains(&name))
}

impl ColumnPlaces {
    /// Matches a header by name. A name that is both reserved and a parameter's is the parameter, unless it stands
    /// twice: then the parameter comes last.
    pub(super) fn new(header: &StringRecord, space: &Space) -> Result<Self, TableError> {
        let names: Vec<&str> = header.iter().map(str::trim).collect();
        let mut columns = Self {
            reserved: HashMap::new(),
            parameters: vec![None; space.parameters().len()],
            others: Vec::new(),
        };
        let places: HashMap<&str, usize> =
            space.parameters().iter().enumerate().map(|(i, p)| (p.name.as_str(), i)).collect();
        for (at, name) in names.iter().enumerate().rev() {
            let fresh = match places.get(name) {
                Some(i) if columns.parameters[*i].is_none() => columns.parameters[*i].replace(at).is_none(),
                Some(_) => is_reserved(name) && columns.add(name, at),
                None => columns.add(name, at),
            };
            if !fresh {
                return Err(TableError::new("repeated column", "different names", format!("`{name}` twice")));
            }
        }
        columns.others.reverse();
        columns.check_others()?;
        Ok(columns)
    }

    fn add(&mut self, name: &str, at: usize) -> bool {
        match RESERVED.iter().find(|(_, names)| names.contains(&name)) {
            Some((word, _)) => self.reserved.insert(word, at).is_none(),
            None => {
                self.others.push((name.to_owned(), at));
                true
            }
        }
    }

    fn check_others(&self) -> Result<(), TableError> {
        let mut seen = HashSet::new();
        match self.others.iter().find(|(name, _)| !seen.insert(name)) {
            Some((name, _)) => {
                Err(TableError::new("repeated column", "different names", format!("`{name}` twice")))
            }
            None => Ok(()),
        }
    }

    /// Place of a reserved column.
    pub(super) fn place(&self, word: &str) -> Option<usize> {
        self.reserved.get(word).copied()
    }

    /// The indices of all parameters; a missing parameter is an error, and so is another column unless `extra` columns are
    /// allowed.
    pub(super) fn all_parameters(&self, space: &Space, extra: bool) -> Result<Vec<usize>, TableError> {
        let missing = space.parameters().iter().zip(&self.parameters).find(|(_, at)| at.is_none());
        if let Some((parameter, _)) = missing {
            return Err(self.missing(&parameter.name));
        }
        match self.others.first().filter(|_| !extra) {
            Some((name, _)) => Err(unknown(name, space)),
            None => Ok(self.parameters.iter().copied().flatten().collect()),
        }
    }

    fn missing(&self, name: &str) -> TableError {
        let others: Vec<&str> = self.others.iter().map(|(other, _)| other.as_str()).collect();
        let hint = nearest(name, others.iter().copied())
            .map(|other| format!("rename the column `{other}` to `{name}`"));
        let found = if others.is_empty() { "none".into() } else { format!("`{}`", others.join("`, `")) };
        TableError::new(format!("there is no column for `{name}`"), format!("a column `{name}`"), found)
            .with_hint_if(hint)
    }
}

fn unknown(name: &str, space: &Space) -> TableError {
    let names: Vec<&str> = space.parameters().iter().map(|p| p.name.as_str()).collect();
    let hint = nearest(name, names.iter().copied()).map_or_else(
        || "remove the column".to_owned(),
        |meant| format!("did you mean `{meant}`? remove one of both"),
    );
    let expected = format!("only the parameters {}", names.join(", "));
    TableError::new("a column is not a parameter of the problem", expected, format!("`{name}`"))
        .with_hint(hint)
}
