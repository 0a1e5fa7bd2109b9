//! The fenced blocks of a page.

use std::path::Path;

/// A page, cut into what is run and what is only read.
pub struct Document {
    pub name: String,
    pub parts: Vec<Part>,
}

/// A piece of a page; together they are all of it.
pub enum Part {
    /// A line that is only read.
    Text(String),
    /// A file to be written.
    File { name: String, lines: Vec<String> },
    /// A command to be run.
    Step(Step),
}

/// A command with what the page says of it.
pub struct Step {
    /// Line of the page.
    pub line: usize,
    pub command: String,
    /// The command as it stands in the page.
    pub written: Vec<String>,
    /// The output as it stands in the page.
    pub shown: Vec<String>,
    pub exit: i32,
}

enum Fence {
    Console { exit: i32 },
    File(String),
    Other,
}

impl Fence {
    /// From what stands behind the backticks.
    fn new(info: &str) -> Self {
        let value = |key: &str| info.split_whitespace().find_map(|word| word.strip_prefix(key));
        if let Some(name) = value("file=") {
            return Self::File(name.to_owned());
        }
        let is_console = info.split_whitespace().next() == Some("console");
        if is_console {
            Self::Console { exit: value("exit=").map_or(0, |n| n.parse().unwrap()) }
        } else {
            Self::Other
        }
    }
}

impl Document {
    pub fn read(page: &Path) -> Self {
        let name = page.file_name().unwrap().to_string_lossy();
        Self::new(&name, &std::fs::read_to_string(page).unwrap())
    }

    pub fn new(name: &str, text: &str) -> Self {
        let mut document = Self { name: name.to_owned(), parts: Vec::new() };
        let mut fence: Option<Fence> = None;
        for (number, line) in (1..).zip(text.lines()) {
            let ticks = line.strip_prefix("```");
            fence = match (fence, ticks) {
                (None, Some(info)) => Some(document.open(line, Fence::new(info))),
                (Some(_), Some("")) => {
                    document.text(line);
                    None
                }
                (fence, _) => {
                    document.line(number, line, fence.as_ref());
                    fence
                }
            };
        }
        assert!(fence.is_none(), "{name}: a fence is not closed");
        document
    }

    fn open(&mut self, line: &str, fence: Fence) -> Fence {
        self.text(line);
        if let Fence::File(name) = &fence {
            self.parts.push(Part::File { name: name.clone(), lines: Vec::new() });
        }
        fence
    }

    fn text(&mut self, line: &str) {
        self.parts.push(Part::Text(line.to_owned()));
    }

    fn line(&mut self, number: usize, line: &str, fence: Option<&Fence>) {
        match (fence, self.parts.last_mut()) {
            (Some(Fence::File(_)), Some(Part::File { lines, .. })) => lines.push(line.to_owned()),
            (Some(Fence::Console { exit }), _) if line.starts_with("$ ") => {
                let (command, written) = (line[2..].to_owned(), vec![line.to_owned()]);
                self.parts.push(Part::Step(Step {
                    line: number,
                    command,
                    written,
                    shown: vec![],
                    exit: *exit,
                }));
            }
            (Some(Fence::Console { .. }), Some(Part::Step(step))) if carries_on(step, line) => {
                step.command = format!("{}\n{}", step.command, &line[2..]);
                step.written.push(line.to_owned());
            }
            (Some(Fence::Console { .. }), Some(Part::Step(step))) => step.shown.push(line.to_owned()),
            _ => self.text(line),
        }
    }
}

fn carries_on(step: &Step, line: &str) -> bool {
    line.starts_with("> ") && step.shown.is_empty()
}
