//! Arguments of `onceflow completions`.

use clap::Args;

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow completions bash > ~/.local/share/bash-completion/completions/onceflow
  onceflow completions zsh  > ~/.zfunc/_onceflow
  onceflow completions fish > ~/.config/fish/completions/onceflow.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}
