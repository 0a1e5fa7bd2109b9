//! Users of one group who share a store. By default no other user may read a new file of theirs. They are real users, where the tests
//! run as root; the children are this test program again.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use onceflow_products::{Collection, ProductStore, StoreOptions};

use crate::common::{has, key, maker, open, products};

const GROUP: &str = "54700";
const USERS: [u32; 2] = [54_701, 54_702];
const STRANGER: u32 = 54_703;

/// What a child does; nothing when it is not one.
#[test]
fn child() {
    let (Ok(role), Some(folder)) = (std::env::var("ONCEFLOW_USER"), std::env::var_os("ONCEFLOW_USER_FOLDER"))
    else {
        return;
    };
    let folder = Path::new(&folder);
    if role == "refused" {
        let error = ProductStore::open(folder, &StoreOptions::default()).unwrap_err().to_string();
        assert!(error.contains("ermission denied") || error.contains("unable to open"), "{error}");
        return;
    }
    let store = open(folder);
    match &role[..] {
        "write" => assert_eq!(store.publish(&products(&[1, 2, 3, 4]), &maker()).unwrap().stored, 4),
        "read and add" => {
            assert!((1..=4).all(|number| has(&store, number)));
            assert_eq!(store.publish(&products(&[5]), &maker()).unwrap().stored, 1);
            store.pin(&key(5).to_string(), true).unwrap();
        }
        "collect" => {
            assert!(has(&store, 5));
            assert_eq!(store.collect(&Collection { size: Some(0), older_than: None }).unwrap().removed, 4);
        }
        "look" => {
            assert!(has(&store, 5) && !has(&store, 1));
            assert_eq!(store.verify(|_, _| {}).unwrap().damaged, []);
            let made = store.publish(&products(&[1, 2]), &maker()).unwrap().stored;
            assert_eq!(made, 2, "packs of another user were removed, and new ones are made");
        }
        "together" => {
            for round in 0..20 {
                store.publish(&products(&[1, 2, 3, 4, 6, 7]), &maker()).unwrap();
                assert!(has(&store, 5), "what is pinned stays");
                store.fetch(&[1, 2, 3].map(key)).unwrap();
                if round % 5 == 4 {
                    store.collect(&Collection { size: Some(0), older_than: None }).unwrap();
                }
            }
        }
        role => panic!("{role}"),
    }
}

fn as_user(user: u32, program: &Path, role: &str, folder: &Path) -> Command {
    let mut command = Command::new("setpriv");
    let id = user.to_string();
    command.args(["--reuid", &id, "--regid", &id, "--groups", if user == STRANGER { &id } else { GROUP }]);
    command.args(["sh", "-c", "umask 077; exec \"$0\" --exact users::child --nocapture"]).arg(program);
    command.env("ONCEFLOW_USER", role).env("ONCEFLOW_USER_FOLDER", folder).current_dir("/");
    command
}

fn well(output: &Output, role: &str) {
    let said = [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat();
    assert!(output.status.success() && said.contains("1 passed"), "{role}: {said}");
}

#[test]
fn users_of_a_group_share_a_store_and_others_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(place.path(), 0o755);
    let store = place.path().join("store");
    fs::create_dir(&store).unwrap();
    let group = std::os::unix::fs::chown(&store, None, Some(GROUP.parse().unwrap()));
    let program = place.path().join("faults");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    mode(&program, 0o755);
    let tried = as_user(STRANGER, Path::new("/bin/true"), "", &store).output();
    if group.is_err() || !tried.is_ok_and(|tried| tried.status.success()) {
        println!("skipped: users of a group, since only root may become other users");
        return;
    }
    mode(&store, 0o2770);
    let [ada, bob] = USERS;
    let alone =
        [(ada, "write"), (bob, "read and add"), (ada, "collect"), (bob, "look"), (STRANGER, "refused")];
    for (user, role) in alone {
        well(&as_user(user, &program, role, &store).output().unwrap(), role);
    }
    let both = USERS.map(|user| {
        let mut command = as_user(user, &program, "together", &store);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    });
    for child in both {
        well(&child.wait_with_output().unwrap(), "together");
    }
    assert_eq!(open(&store).verify(|_, _| {}).unwrap().damaged, []);
}
