//! Many landings on one repository at once, while somebody edits, commits, switches and stashes, and git packs.

use crate::sandbox::{Run, Sandbox, create, replace};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Processes that land at the same time: every second one on the checked-out branch, the others on `side`.
pub const PROCESSES: usize = 12;
/// Files that both the landings and the editor write.
const FILES: usize = 4;

/// What somebody was told, and what of it is not so.
#[derive(Debug, Default)]
pub struct Told {
    /// Landings tried, and those that said that they landed.
    pub tried: usize,
    pub landed: usize,
    /// Of these, what is on its branch exactly once, in order and with its content.
    pub found: usize,
    /// Commits that git said it made, and saves of the editor.
    pub commits: usize,
    pub saves: usize,
    /// Landings that a later commit of git's took back, by an index that it had read before they were over: as two
    /// commits of git's may do to each other.
    pub undone: Vec<String>,
    /// Landings that a stash of git's took back: it resets the branch to where it was when the stash began, whoever has
    /// committed since.
    pub reset: Vec<String>,
    pub lost: Vec<String>,
}

/// One landing: its number, and the branch and the tip that it said it made.
struct Landing {
    id: String,
    file: usize,
    said: Option<(String, String)>,
    /// Where it failed though nothing was in its way.
    failed: Option<String>,
}

impl Landing {
    /// Those of its commits.
    fn subjects(&self) -> [String; 2] {
        [format!("Add {}", self.id), format!("Set {}", self.id)]
    }

    fn new_file(&self) -> String {
        format!("new/{}", self.id)
    }
}

/// What is on a branch at the end.
struct Branch {
    subjects: Vec<String>,
    files: BTreeSet<String>,
}

impl Branch {
    fn of(sandbox: &Sandbox, name: &str) -> Self {
        let files = sandbox.git(["ls-tree", "-r", "--name-only", name]);
        Self { subjects: sandbox.subjects(name), files: files.lines().map(str::to_owned).collect() }
    }
}

/// One save: what was written, and what it found in its place.
struct Save {
    file: usize,
    text: String,
    found: String,
}

fn shared(file: usize) -> String {
    format!("shared/{file}.txt")
}

struct Race {
    sandbox: Sandbox,
    end: Instant,
    over: AtomicBool,
    /// Held by whoever writes files as the user does: to save while git stashes or switches loses what was saved by
    /// git's own doing. Landings do not know of it.
    hands: Mutex<()>,
}

/// Lets them all run for so long.
pub fn run(time: Duration) -> Told {
    let race = Race::start(time);
    let (landings, commits, saves) = std::thread::scope(|scope| {
        let race = &race;
        let landings: Vec<_> = (0..PROCESSES).map(|n| scope.spawn(move || race.land(n))).collect();
        let commits = scope.spawn(|| race.work_with_git());
        let saves = scope.spawn(|| race.edit());
        scope.spawn(|| race.tidy());
        let landings: Vec<_> = landings.into_iter().map(|one| one.join()).collect();
        race.over.store(true, Ordering::Relaxed);
        let landings: Vec<_> = landings.into_iter().flat_map(Result::unwrap).collect();
        (landings, commits.join().unwrap(), saves.join().unwrap())
    });
    race.judge(&landings, &commits, &saves)
}

impl Race {
    fn start(time: Duration) -> Self {
        let mut sandbox = Sandbox::new();
        for file in 0..FILES {
            sandbox.file(&shared(file), "as it was\n");
        }
        sandbox.commit("shared");
        sandbox.git(["branch", "other"]);
        sandbox.git(["branch", "side"]);
        // Real dates, or git takes the reflogs for old.
        sandbox.set("GIT_AUTHOR_DATE", "-");
        sandbox.set("GIT_COMMITTER_DATE", "-");
        let end = Instant::now() + time;
        Self { sandbox, end, over: AtomicBool::new(false), hands: Mutex::new(()) }
    }

    /// One process after the other, until time is over.
    fn land(&self, process: usize) -> Vec<Landing> {
        let mut all = Vec::new();
        let response = self.sandbox.root().join(format!("response-{process}"));
        while Instant::now() < self.end {
            let id = format!("{process}-{}", all.len());
            let file = (process + all.len()) % FILES;
            let text = [
                create(&format!("new/{id}"), &format!("Add {id}"), &format!("{id}\n")),
                replace(&shared(file), &format!("Set {id}"), &format!("landed {id}\n")),
            ];
            std::fs::write(&response, text.concat()).unwrap();
            let branch: &[&str] = if process.is_multiple_of(2) { &[] } else { &["-b", "side"] };
            let mut command = self.sandbox.command(["--json"]);
            let run = Run::of(command.args(branch).arg("--").arg(&response).output().unwrap());
            let mut failed = None;
            let said = match run.code {
                Some(0) => {
                    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
                    assert_eq!(report["status"], "landed", "{}", run.stdout);
                    let at = |name: &str| report["branch"][name].as_str().unwrap().to_owned();
                    Some((at("name"), at("new")))
                }
                Some(4) => None,
                _ => {
                    failed = Some(format!("{run:?}"));
                    None
                }
            };
            all.push(Landing { id, file, said, failed });
        }
        all
    }

    /// Commits, switches and stashes in turn, and gives the subjects of the commits that git said it made.
    fn work_with_git(&self) -> Vec<String> {
        let mut made = Vec::new();
        for round in 0.. {
            if self.over.load(Ordering::Relaxed) {
                break;
            }
            let subject = format!("by hand {round}");
            let arguments = match round % 6 {
                0 | 3 => vec!["commit", "-q", "-a", "-m", &subject],
                1 => vec!["stash", "push", "-q"],
                2 => vec!["switch", "-q", "other"],
                4 => vec!["commit", "-q", "--allow-empty", "-m", &subject],
                _ => vec!["switch", "-q", "main"],
            };
            let hands = self.hands.lock().unwrap();
            let run = self.sandbox.git_command(&arguments).output().unwrap();
            drop(hands);
            if run.status.success() && arguments[0] == "commit" {
                made.push(subject);
            }
            std::thread::sleep(Duration::from_millis(30));
        }
        made
    }

    /// Saves files as editors do, by a rename: one that exchanges, and so tells what was there.
    fn edit(&self) -> Vec<Save> {
        let mut all = Vec::new();
        let aside = self.sandbox.root().join("aside");
        while !self.over.load(Ordering::Relaxed) {
            let (file, text) = (all.len() % FILES, format!("saved {}\n", all.len()));
            std::fs::write(&aside, &text).unwrap();
            let hands = self.hands.lock().unwrap();
            exchange(&aside, &self.sandbox.repo.join(shared(file)));
            drop(hands);
            all.push(Save { file, text, found: std::fs::read_to_string(&aside).unwrap() });
            std::thread::sleep(Duration::from_millis(40));
        }
        all
    }

    fn tidy(&self) {
        for round in 0.. {
            if self.over.load(Ordering::Relaxed) {
                break;
            }
            let arguments = [&["pack-refs", "--all"][..], &["worktree", "prune"], &["gc", "-q"]][round % 3];
            // It fails where it comes upon a lock.
            self.sandbox.git_command(arguments).output().unwrap();
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn exchange(one: &Path, other: &Path) {
    let end = Instant::now() + Duration::from_secs(10);
    while let Err(e) = renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        assert!(Instant::now() < end, "{}: {e}", other.display());
    }
}

impl Race {
    fn judge(self, landings: &[Landing], commits: &[String], saves: &[Save]) -> Told {
        let sandbox = &self.sandbox;
        let mut told = Told {
            tried: landings.len(),
            landed: landings.iter().filter(|landing| landing.said.is_some()).count(),
            commits: commits.len(),
            saves: saves.len(),
            ..Told::default()
        };
        sandbox.run(["recover"]).exits(0).says("nothing to recover");
        sandbox.has_sound_objects();
        sandbox.leaves_no_file();
        let mut branches = BTreeMap::new();
        for landing in landings {
            if let Some((branch, tip)) = &landing.said {
                let now = branches.entry(branch).or_insert_with(|| Branch::of(sandbox, branch));
                let new = landing.new_file();
                if self.was_reset(branch, tip) {
                    told.reset.push(new);
                    continue;
                }
                // Nobody takes it away on purpose.
                if !now.files.contains(&new) {
                    let by = ["log", "--diff-filter=D", "--format=%s", branch, "--", &new];
                    let by = sandbox.git(by);
                    let gone = format!("{new} is gone from {branch} by {by:?}");
                    let list = if by.starts_with("by hand") { &mut told.undone } else { &mut told.lost };
                    list.push(gone);
                }
                match self.has_landed(landing, now, tip) {
                    Ok(()) => told.found += 1,
                    Err(what) => told.lost.push(format!("landing {}: {what}", landing.id)),
                }
            }
        }
        let log = sandbox.git(["log", "--all", "--reflog", "--format=%s"]);
        let times = |subject: &str| log.lines().filter(|one| *one == subject).count();
        for landing in landings.iter().filter(|landing| landing.said.is_none()) {
            if let Some(what) = &landing.failed {
                told.lost.push(format!("landing {}: {what}", landing.id));
            }
            if landing.subjects().iter().any(|subject| times(subject) > 0) {
                told.lost.push(format!("landing {} was refused, and is there", landing.id));
            }
        }
        let unmade = commits.iter().filter(|subject| times(subject) != 1);
        told.lost.extend(unmade.map(|subject| format!("commit {subject}")));
        told.lost.extend(self.lost_saves(landings, saves));
        let status = sandbox.status();
        let gone = || told.undone.iter().chain(&told.reset);
        let undone = |line: &str| gone().any(|gone| Some(line) == gone.split(' ').next());
        let others = status.lines().filter(|line| !line[3..].starts_with("shared/") && !undone(&line[3..]));
        let others: Vec<_> = others.collect();
        told.lost.extend(others.into_iter().map(|line| format!("nobody changed this: {line}")));
        told
    }

    /// Whether it was a reset of git's that moved a branch to where a tip is not, first of all that came after it.
    fn was_reset(&self, branch: &str, tip: &str) -> bool {
        let log = self.sandbox.git(["reflog", "show", "--format=%H %gs", branch]);
        let (entries, tip_at) = (log.lines().collect::<Vec<_>>(), |line: &&str| line.starts_with(tip));
        let Some(at) = entries.iter().position(tip_at) else { return false };
        let has_tip = |commit: &str| {
            let mut git = self.sandbox.git_command(["merge-base", "--is-ancestor", tip, commit]);
            git.output().unwrap().status.success()
        };
        let mut later = entries[..at].iter().rev().filter_map(|line| line.split_once(' '));
        later.find(|(commit, _)| !has_tip(commit)).is_some_and(|(_, what)| what == "reset: moving to HEAD")
    }

    /// Whether a landing's commits are on its branch once, in order and with their content, and what of that is not so.
    fn has_landed(&self, landing: &Landing, branch: &Branch, tip: &str) -> Result<(), String> {
        let id = &landing.id;
        let subjects = landing.subjects();
        for subject in &subjects {
            let times = branch.subjects.iter().filter(|one| *one == subject).count();
            if times != 1 {
                return Err(format!("{subject:?} is there {times} times"));
            }
        }
        let log = self.sandbox.git(["log", "-2", "-U0", "--format=subject %s", tip]);
        let added = |line: &&str| {
            line.starts_with("subject ") || line.starts_with('+') && !line.starts_with("+++ /dev/null")
        };
        let found: Vec<_> = log.lines().filter(added).collect();
        let (set, add) = (format!("subject {}", subjects[1]), format!("subject {}", subjects[0]));
        let old = format!("+++ b/{}", shared(landing.file));
        let (new, landed, own) = (format!("+++ b/new/{id}"), format!("+landed {id}"), format!("+{id}"));
        if found != [&*set, &*old, &*landed, &*add, &*new, &*own] {
            return Err(format!("{found:#?}"));
        }
        Ok(())
    }

    /// Saves that are neither in the file nor in any commit or stash, and that the editor did not write over.
    fn lost_saves(&self, landings: &[Landing], saves: &[Save]) -> Vec<String> {
        let kept = self.contents();
        let landed: BTreeSet<_> = landings
            .iter()
            .filter(|one| one.said.is_some())
            .map(|one| format!("landed {}\n", one.id))
            .collect();
        let mut lost = Vec::new();
        for (at, save) in saves.iter().enumerate() {
            let next = saves[at + 1..].iter().find(|next| next.file == save.file);
            let after = next.map_or_else(|| self.sandbox.text(&shared(save.file)), |next| next.found.clone());
            // A landing that goes back because it sees the save has its own text there for a moment.
            let passing = next.is_some() && after.starts_with("landed ") && !landed.contains(&after);
            if after != save.text && !passing && !kept.contains(&save.text) {
                lost.push(format!("{:?} in {}: {after:?} followed", save.text, shared(save.file)));
            }
        }
        lost
    }

    /// All contents that the shared files have ever had in commits and stashes.
    fn contents(&self) -> BTreeSet<String> {
        let names = self.sandbox.git(["rev-list", "--objects", "--all", "--reflog", "--", "shared"]);
        let blobs = names.lines().filter(|line| line.contains(" shared/"));
        blobs
            .map(|line| self.sandbox.git(["cat-file", "blob", line.split(' ').next().unwrap()]) + "\n")
            .collect()
    }
}
