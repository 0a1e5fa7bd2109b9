//! Renderings of an [`Answer`](crate::Answer): for the terminal, for programs, for tables and for the browser, and the
//! judgement about its best row. Pure functions: values in, texts out.

mod account;
mod best;
mod csv;
mod html;
mod json;
mod subject;
mod text;
mod words;

pub use best::best;
pub use csv::{metrics_csv, rows_csv};
pub use html::{Picture, html};
pub use json::{best_json, indices_json, run_json};
pub use text::answer_text;
