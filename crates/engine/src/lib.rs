//! The straight line: from a study file to its answer.
