//! What a site wants of jobs, from the table `[site]` of a profile.

/// What jobs of a site say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteProfile {
    /// The account that pays.
    pub account: Option<String>,
    /// The partition, or the queue.
    pub partition: Option<String>,
    /// The quality of service.
    pub qos: Option<String>,
    /// The longest time of a job, in the form of the site.
    pub time: Option<String>,
    /// Modules that are loaded.
    pub modules: Vec<String>,
    /// Commands before the worker.
    pub prologue: Vec<String>,
    /// More lines of options, such as `--constraint=ib`.
    pub options: Vec<String>,
    /// Workers.
    pub workers: Option<usize>,
    /// The most tasks of an array.
    pub most_tasks: Option<usize>,
}

/// Why a key of `[site]` cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SiteProfileError {
    /// There is no such key.
    #[error("expected one of {}", SiteProfile::KEYS.join(", "))]
    Key,
    /// Its value is of another form.
    #[error("expected {0}")]
    Value(&'static str),
}

impl SiteProfile {
    /// Every key.
    pub const KEYS: [&'static str; 9] =
        ["account", "partition", "qos", "time", "modules", "prologue", "options", "workers", "most_tasks"];

    /// Sets a key from its value or values.
    ///
    /// # Errors
    /// When there is no such key, or it takes other values.
    pub fn set(&mut self, key: &str, values: &[String]) -> Result<(), SiteProfileError> {
        // What ends a line would become another line of a script.
        if values.iter().any(|value| value.contains(['\n', '\r'])) {
            return Err(SiteProfileError::Value("texts of one line"));
        }
        let one = || match values {
            [value] if !value.is_empty() => Ok(Some(value.clone())),
            _ => Err(SiteProfileError::Value("one text")),
        };
        let count = || {
            let count =
                one()?.and_then(|text| text.parse().ok()).filter(|count| (1..=1_000_000).contains(count));
            count.map(Some).ok_or(SiteProfileError::Value("a number from 1 to 1000000"))
        };
        match key {
            "account" => self.account = one()?,
            "partition" => self.partition = one()?,
            "qos" => self.qos = one()?,
            "time" => self.time = one()?,
            "modules" => self.modules = values.to_vec(),
            "prologue" => self.prologue = values.to_vec(),
            "options" => self.options = values.to_vec(),
            "workers" => self.workers = count()?,
            "most_tasks" => self.most_tasks = count()?,
            _ => return Err(SiteProfileError::Key),
        }
        Ok(())
    }
}
