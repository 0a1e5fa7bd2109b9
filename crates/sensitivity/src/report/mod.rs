//! An analysis as JSON, SALib's dictionaries, CSV and text.

mod csv;
mod figures;
mod json;
mod read;
mod salib;
mod text;

pub use csv::{analysis_to_csv, pairs_to_csv};
pub use json::analysis_to_json;
pub use read::analysis_from_json;
pub use salib::analysis_to_salib;
pub use text::{
    EffectLine, EffectTable, aligned, bar, effect_table, render_text, share_decimals, share_text,
    short_number,
};
