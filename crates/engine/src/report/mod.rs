//! Renderings of an [`Answer`](crate::Answer): for the terminal, for programs, for tables and for the browser, and the
//! judgement about its best row. Pure functions: values in, texts out.

mod account;
mod best;
mod csv;
mod different;
mod failing;
mod html;
mod json;
mod material;
mod response;
mod ro_crate;
mod schedule;
mod subject;
mod text;
mod words;

pub use best::best;
pub use csv::{metrics_csv, rows_csv};
pub(crate) use different::most_different;
pub use failing::{Failing, failing};
pub use html::html;
pub use json::{best_json, indices_json, provenance_json, run_json};
pub use material::{Material, Pictures, Provenance, Scene, Shown, UsedFile};
pub use ro_crate::ro_crate;
pub use text::answer_text;
pub use words::{duration_words, memory_words};
