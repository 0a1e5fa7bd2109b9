//! Synthetic tissue with known truth.
