//! Rows become a task graph in which equal work stands once.
