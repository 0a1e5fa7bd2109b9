//! Runs a plan: the scheduler is a pure state machine, executors carry out what it says.
