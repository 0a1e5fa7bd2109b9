//! What tasks read of the rows, as columns of classes: values that an operation cannot tell apart are one.

use std::collections::HashMap;

use onceflow_study::{Canonical, ParameterKind};

use super::PlanError;
use super::classes::Classes;
use crate::rows::RowColumn;
use crate::{Flow, FlowRead, FlowTask, ParameterRows, ReadFrom};

/// One column for each parameter and way of reading it.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadColumns {
    columns: Vec<ReadColumn>,
    /// For each task and read the column; none for a constant.
    of: Vec<Vec<Option<usize>>>,
    /// The columns of stages that are in buckets: no task reads them, but only rows of one bucket can be equal.
    buckets: Vec<(usize, usize)>,
}

#[derive(Clone, Debug)]
struct ReadColumn {
    distinct: Vec<Canonical>,
    classes: Classes,
}

impl ReadColumns {
    pub(super) fn new(flow: &Flow, rows: &ParameterRows) -> Result<Self, PlanError> {
        let mut known: HashMap<(&str, ParameterKind), usize> = HashMap::new();
        let mut columns = Vec::new();
        let mut of = Vec::with_capacity(flow.tasks.len());
        for task in &flow.tasks {
            let mut places = Vec::with_capacity(task.reads.len());
            for read in &task.reads {
                let ReadFrom::Parameter(parameter) = &read.from else {
                    places.push(None);
                    continue;
                };
                let place = known.get(&(parameter.as_str(), read.kind)).copied();
                places.push(Some(place.unwrap_or(columns.len())));
                if place.is_none() {
                    known.insert((parameter, read.kind), columns.len());
                    columns.push(column(task, read, parameter, rows)?);
                }
            }
            of.push(places);
        }
        Ok(Self { columns, of, buckets: Vec::new() })
    }

    /// Says in which of so many buckets each row's instance of a stage is.
    pub(super) fn in_buckets(&mut self, stage: usize, of_row: Vec<u32>, count: usize) {
        self.buckets.retain(|(known, _)| *known != stage);
        self.buckets.push((stage, self.columns.len()));
        self.columns.push(ReadColumn { distinct: Vec::new(), classes: Classes::renumbered(of_row, count) });
    }

    /// The column of a stage's buckets.
    pub(super) fn bucket(&self, stage: usize) -> Option<usize> {
        self.buckets.iter().find(|(known, _)| *known == stage).map(|(_, column)| *column)
    }

    /// The columns a task reads.
    pub(super) fn of(&self, task: usize) -> impl Iterator<Item = usize> {
        self.of[task].iter().filter_map(|place| *place)
    }

    pub(super) fn classes(&self, column: usize) -> &Classes {
        &self.columns[column].classes
    }

    /// What a task reads in a row.
    pub(super) fn values(&self, task: &FlowTask, at: usize, row: usize) -> Vec<Canonical> {
        let value = |(read, place): (&FlowRead, &Option<usize>)| match (&read.from, place) {
            (ReadFrom::Constant(value), _) => Some(value.clone()),
            (ReadFrom::Parameter(_), Some(place)) => Some(self.columns[*place].at(row)),
            (ReadFrom::Parameter(_), None) => None,
        };
        task.reads.iter().zip(&self.of[at]).filter_map(value).collect()
    }
}

impl ReadColumn {
    fn at(&self, row: usize) -> Canonical {
        self.distinct[self.classes.of[row] as usize].clone()
    }
}

fn column(
    task: &FlowTask,
    read: &FlowRead,
    parameter: &str,
    rows: &ParameterRows,
) -> Result<ReadColumn, PlanError> {
    let column = rows.column(parameter).ok_or_else(|| PlanError::MissingParameter {
        task: task.name.clone(),
        parameter: parameter.to_owned(),
        found: if rows.parameters().is_empty() { "none".into() } else { rows.parameters().join(", ") },
    })?;
    let mut distinct: Vec<Canonical> = Vec::new();
    let mut numbers: HashMap<Canonical, u32> = HashMap::new();
    let mut canonical = Vec::with_capacity(column.distinct.len());
    for (number, value) in column.distinct.iter().enumerate() {
        let Some(value) = read.kind.canonical(value) else {
            return Err(wrong_kind(task, read, parameter, column, number));
        };
        let next = distinct.len() as u32;
        let found = *numbers.entry(value.clone()).or_insert(next);
        if found == next {
            distinct.push(value);
        }
        canonical.push(found);
    }
    let of = column.numbers.iter().map(|number| canonical[*number as usize]).collect();
    let count = distinct.len() as u32;
    Ok(ReadColumn { distinct, classes: Classes { of, count } })
}

fn wrong_kind(
    task: &FlowTask,
    read: &FlowRead,
    parameter: &str,
    column: &RowColumn,
    number: usize,
) -> PlanError {
    let row = column.numbers.iter().position(|other| *other as usize == number).unwrap_or_default();
    PlanError::WrongKind {
        task: task.name.clone(),
        parameter: parameter.to_owned(),
        kind: read.kind.word(),
        found: column.distinct[number].to_string(),
        row,
    }
}
