//! The `git-llm-apply` binary: arguments in, exit status out.

fn main() -> std::process::ExitCode {
    git_llm_apply::cli::run(std::env::args_os())
}
