//! What git does after a command that has changed something: the post-index-change hook and maintenance. Their failure
//! changes nothing.

use super::process;
use super::repo::Repo;
use std::process::{Command, Stdio};

impl Repo {
    /// Runs the post-index-change hook, as git does after writing the index along with files (githooks(5)). Its status is
    /// ignored.
    pub fn run_post_index_change(&self) {
        if !matches!(self.hook("post-index-change"), Ok(Some(_))) {
            return;
        }
        let mut command = process::git(self);
        command.env("GIT_INDEX_FILE", self.index_file());
        command.args(["hook", "run", "--ignore-missing", "post-index-change", "--", "1", "0"]);
        let _ = command.stdout(Stdio::null()).status();
    }

    /// Runs maintenance if it is due, as `git commit` does: in the background, unless configured otherwise. Whether `git
    /// gc` is due is estimated here as git estimates it, so that usually no process is started. Only git knows whether
    /// other tasks are due.
    pub fn maintain(&self) {
        let on = |key: &str| self.config().bool(key).ok().flatten();
        if !on("maintenance.auto").unwrap_or(true) || !(self.has_own_tasks() || self.is_gc_due()) {
            return;
        }
        let detach = on("maintenance.autodetach").or_else(|| on("gc.autodetach")).unwrap_or(true);
        let run = |options: &[&str]| {
            let mut command: Command = process::git(self);
            command.args(["maintenance", "run", "--auto", "--quiet"]).args(options);
            command.stdout(Stdio::null()).stderr(Stdio::null()).status()
        };
        let outcome = run(&[if detach { "--detach" } else { "--no-detach" }]);
        // Git before 2.47 does not know these options; its `git gc` detaches by itself.
        if outcome.is_ok_and(|status| status.code() == Some(129)) {
            let _ = run(&[]);
        }
    }

    /// Returns whether any maintenance task is configured.
    fn has_own_tasks(&self) -> bool {
        let settings =
            self.config().names("maintenance.").filter_map(|name| name.strip_prefix("maintenance."));
        { settings }.any(|name| !["auto", "autodetach", "repo"].contains(&name))
    }

    /// Returns whether there are enough loose objects or packs for `git gc --auto` to act.
    fn is_gc_due(&self) -> bool {
        let limit = |key: &str, default: i64| self.config().number(key).ok().flatten().unwrap_or(default);
        let loose_limit = limit("gc.auto", 6700);
        if loose_limit <= 0 {
            return false;
        }
        let count = |directory: &str, ending: &str| {
            let entries = std::fs::read_dir(self.objects_dir().join(directory));
            entries.map_or(0, |all| {
                all.flatten().filter(|e| e.file_name().to_string_lossy().ends_with(ending)).count()
            })
        };
        // Counts one of the 256 directories, as git does.
        let loose = count("17", "") as i64 > (loose_limit + 255) / 256;
        let pack_limit = limit("gc.autopacklimit", 50);
        loose || (pack_limit > 0 && count("pack", ".pack") as i64 > pack_limit)
    }
}
