//! What git does by itself after a command that has changed something: the hook that is told of a new index, and tidying
//! up. Neither decides over anything any more.

use super::process;
use super::repo::Repo;
use std::process::{Command, Stdio};

impl Repo {
    /// Runs the post-index-change hook, as git does when it has written the index along with files (githooks(5)). What
    /// becomes of it is nobody's matter.
    pub fn tell_of_new_index(&self) {
        if !matches!(self.hook("post-index-change"), Ok(Some(_))) {
            return;
        }
        let mut command = process::git(self);
        command.env("GIT_INDEX_FILE", self.index_file());
        command.args(["hook", "run", "--ignore-missing", "post-index-change", "--", "1", "0"]);
        let _ = command.stdout(Stdio::null()).status();
    }

    /// Lets git tidy up if it is time, as `git commit` does: in the background, unless it is configured otherwise. Whether
    /// it is time for a plain `git gc` is estimated as git estimates it, so that mostly no process is started; of other
    /// tasks only git knows.
    pub fn maintain(&self) {
        let on = |key: &str| self.config().bool(key).ok().flatten();
        if !on("maintenance.auto").unwrap_or(true) || !(self.has_own_tasks() || self.is_full()) {
            return;
        }
        let detach = on("maintenance.autodetach").or_else(|| on("gc.autodetach")).unwrap_or(true);
        let run = |options: &[&str]| {
            let mut command: Command = process::git(self);
            command.args(["maintenance", "run", "--auto", "--quiet"]).args(options);
            command.stdout(Stdio::null()).stderr(Stdio::null()).status()
        };
        let outcome = run(&[if detach { "--detach" } else { "--no-detach" }]);
        // Before 2.47 git did not know these, and `git gc` went to the background by itself.
        if outcome.is_ok_and(|status| status.code() == Some(129)) {
            let _ = run(&[]);
        }
    }

    /// Whether anything is configured of maintenance beyond whether it is to be.
    fn has_own_tasks(&self) -> bool {
        let settings =
            self.config().names("maintenance.").filter_map(|name| name.strip_prefix("maintenance."));
        { settings }.any(|name| !["auto", "autodetach", "repo"].contains(&name))
    }

    /// Whether there are enough loose objects, or packs, for `git gc --auto` to do something.
    fn is_full(&self) -> bool {
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
        // One of 256 directories stands for all.
        let loose = count("17", "") as i64 > (loose_limit + 255) / 256;
        let pack_limit = limit("gc.autopacklimit", 50);
        loose || (pack_limit > 0 && count("pack", ".pack") as i64 > pack_limit)
    }
}
