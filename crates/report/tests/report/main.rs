//! Renderings of a made-up run: what people, programs and browsers get to see.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod edges;
mod made_up;
mod page;
mod sha256;
mod tables;
mod text;
mod tuning;
