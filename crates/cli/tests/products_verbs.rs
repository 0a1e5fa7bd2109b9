//! `onceflow products`: results that outlive runs, counted, verified, explained, exported and collected.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod kept;
mod shell;

use kept::{number, run, shell, stored};
use shell::{Said, Shell};

#[test]
fn damage_is_found_set_aside_and_computed_again() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    let pack = std::fs::read_dir(shell.path("store/packs")).unwrap().next().unwrap().unwrap().path();
    let sound = |said: &Said| said.stdout.split(',').next().unwrap().to_owned();
    let before = sound(&shell.ok("products verify --store store"));
    // Every record is longer than this step.
    let mut bytes = std::fs::read(&pack).unwrap();
    bytes.iter_mut().step_by(64).for_each(|byte| *byte ^= 1);
    std::fs::write(&pack, &bytes).unwrap();
    let said = shell.run("products verify --store store");
    assert!(said.exit == 1 && said.stdout.contains("0 results are sound"), "{said}");
    let second = run(&shell, "study.toml -o runs/second");
    assert!(!second.stderr.contains("instances taken"), "{second}");
    assert_eq!(shell.read("runs/first/rows.csv"), shell.read("runs/second/rows.csv"));
    assert_eq!(sound(&shell.ok("products verify --store store")), before);
}

#[test]
fn the_numbers_of_a_store_reconcile_and_gc_gives_space_back() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    run(&shell, "study.toml -o runs/second");
    let stats = shell.ok("products stats --store store --json").json();
    let number = |path: &str| stats.pointer(path).unwrap().as_u64().unwrap();
    assert_eq!(number("/lookups"), number("/hits") + number("/misses"));
    // Rows, the outputs of rows, and regions; the second run took the rows, and pictures took outputs and regions.
    let products = number("/products");
    assert!(products > 40 && products <= 60 && number("/hits") > 20, "{stats:#}");
    assert_eq!(number("/bytes/packs"), number("/bytes/products") + number("/bytes/overhead"));
    let listed = shell.ok("products ls --store store --json").json();
    assert_eq!(listed["products"].as_array().unwrap().len() as u64, products);
    let key = listed["products"][3]["key"].as_str().unwrap().to_owned();
    shell.ok(&format!("products pin {key} --store store"));
    assert!(
        shell
            .ok("products gc --dry-run --size 0 --store store")
            .stdout
            .contains(&format!("would remove {}", products - 1))
    );
    shell.ok("products gc --size 0 --store store");
    let left = shell.ok("products ls --store store").stdout;
    assert!(left.lines().count() == 2 && left.contains(&key[..16]) && left.contains("pinned"), "{left}");
    let said = shell.run("products pin 123456789abcdef0 --store store");
    assert!(said.exit == 2 && said.stderr.contains("no result has a key"), "{said}");
    let said = shell.run("products pin xyz --store store");
    assert!(said.exit == 2 && said.stderr.contains("hexadecimal"), "{said}");
}

#[test]
fn why_says_where_a_result_comes_from_and_whether_it_is_sound() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    run(&shell, "study.toml -o runs/second");
    let listed = shell.ok("products ls --store store --json").json();
    let key = listed["products"][3]["key"].as_str().unwrap().to_owned();
    shell.ok(&format!("products pin {key} --store store"));
    let said = shell.ok(&format!("products why {} --store store", &key[..16])).stdout;
    for words in
        [&key[..], "run     runs/first", "used    1 times", "pinned  yes", "sound   yes", "store/packs/"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    let json = shell.ok(&format!("products why {key} --store store --json")).json();
    let product = &json["products"][0];
    assert_eq!(json["products"].as_array().unwrap().len(), 1);
    assert!(product["sound"].as_bool().unwrap() && product["pinned"].as_bool().unwrap(), "{json}");
    assert_eq!((product["run"].as_str(), product["uses"].as_u64()), (Some("runs/first"), Some(1)));
    // A byte of it is changed.
    let (pack, offset) = (product["pack"].as_str().unwrap(), product["offset"].as_u64().unwrap() as usize);
    let pack = shell.path(pack);
    let mut bytes = std::fs::read(&pack).unwrap();
    bytes[offset + 64] ^= 1;
    std::fs::write(&pack, &bytes).unwrap();
    let said = shell.run(&format!("products why {key} --store store"));
    assert!(
        said.exit == 1 && said.stdout.contains("sound   no") && said.stdout.contains("runs/first"),
        "{said}"
    );
    let said = shell.run("products why 123456789abcdef0 --store store");
    assert!(said.exit == 2 && said.stderr.contains("no result has a key that begins with"), "{said}");
}

#[test]
fn all_verbs_have_examples_and_json() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    let help = shell.ok("products export --help").stdout;
    assert!(help.contains("  onceflow products export 3f2a --box") && help.contains("--json"), "{help}");
    for verb in ["ls", "stats", "verify", "gc", "pin 0", "unpin 0", "why 0"] {
        let name = verb.split(' ').next().unwrap();
        let help = shell.ok(&format!("products {name} --help")).stdout;
        assert!(help.contains(&format!("  onceflow products {name}")) && help.contains("--json"), "{help}");
        let said = shell.run(&format!("products {verb} --store store --json"));
        assert_eq!(said.json()["version"].as_u64(), Some(1), "{said}");
    }
}

#[test]
fn names_of_runs_do_nothing_to_the_terminal() {
    let shell = shell();
    run(&shell, "study.toml -o runs/\u{1b}[31mred");
    let said = shell.ok("products ls --store store").stdout;
    assert!(said.contains("[31mred") && !said.contains('\u{1b}'), "{said}");
}

/// The pixels of a grey image, row by row.
fn pixels(shell: &Shell, file: &str) -> Vec<u8> {
    let file = std::io::BufReader::new(std::fs::File::open(shell.path(file)).unwrap());
    let mut decoder = png::Decoder::new(file);
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let bytes = reader.next_frame(&mut pixels).unwrap().buffer_size();
    pixels.truncate(bytes);
    pixels
}

#[test]
fn a_box_of_a_kept_mask_is_exported() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    let pieces = stored(&shell, "--row 3");
    let of_mask = pieces.as_array().unwrap().iter().find(|piece| piece["what"] == "output").unwrap();
    let key = of_mask["key"].as_str().unwrap();
    let said = shell.ok(&format!("products export {} --store store -o mask.png", &key[..16]));
    assert!(said.stderr.contains("96 x 80 pixels written to mask.png; 1 of 1 pieces read"), "{said}");
    let json = shell
        .ok(&format!("products export {key} --box 10,20,30x40 --store store -o piece.png --json"))
        .json();
    assert_eq!((json["width"].as_u64(), json["height"].as_u64()), (Some(30), Some(40)), "{json}");
    let (whole, piece) = (pixels(&shell, "mask.png"), pixels(&shell, "piece.png"));
    let cut: Vec<u8> = (20..60).flat_map(|y| whole[96 * y + 10..96 * y + 40].to_vec()).collect();
    assert!(cut == piece && whole.contains(&255) && whole.contains(&0));
    let row = pieces[0]["key"].as_str().unwrap();
    for (words, problem) in [
        (format!("{key} --box 90,0,10x10"), "within 96 x 80"),
        (format!("{key} --box 1,2,3"), "X,Y,WIDTHxHEIGHT"),
        (row.to_owned(), "another kind of result"),
        ("0123456789abcdef".to_owned(), "no result has a key"),
    ] {
        let said = shell.run(&format!("products export {words} --store store -o wrong.png"));
        assert!(said.exit == 2 && said.stderr.contains(problem), "{words}: {said}");
    }
    shell.write("mine.png", "mine");
    let said = shell.run(&format!("products export {key} --store store -o mine.png"));
    assert!(said.exit == 2 && shell.read("mine.png") == "mine", "{said}");
}

#[test]
fn the_size_of_the_store_is_a_setting_of_runs_products_and_memo() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    let limit = |said: &Said| number(said, "/bytes/limit");
    let stats = "products stats --store store --json";
    assert_eq!(limit(&shell.ok(&format!("{stats} --store-size '3 GiB'"))), (3u64 << 30) as f64);
    let environment = [("ONCEFLOW_STORE_SIZE", "2 GiB")];
    assert_eq!(limit(&shell.run_with(stats, "", &environment)), (2u64 << 30) as f64);
    shell.write("config/onceflow/profile.toml", "store_size = \"1 GiB\"\nstore = \"store\"\n");
    // The tester's variable names no store: the profile does.
    let of_profile = shell.run_with("products stats --json", "", &[("ONCEFLOW_STORE", "")]);
    assert_eq!((of_profile.exit, limit(&of_profile)), (0, (1u64 << 30) as f64), "{of_profile}");
    let shown = shell.run_with("config show", "", &[("ONCEFLOW_STORE", "")]).stdout;
    assert!(shown.contains("store_size") && shown.contains("1 GiB"), "{shown}");
    let wrong = shell.run_with(stats, "", &[("ONCEFLOW_STORE_SIZE", "much")]);
    assert!(wrong.exit == 2 && wrong.stderr.contains("ONCEFLOW_STORE_SIZE"), "{wrong}");
    // A run and a command keep to it.
    let full = shell.ok("run study.toml -o runs/second --store store --store-size '8 KiB' --audit 100%");
    assert!(format!("{full}").contains("The store of results was full"), "{full}");
    assert!(number(&shell.ok(stats), "/bytes/products") < 8192.0);
    let kept = "memo --store store --store-size 1000 -- printf '%0900d' 7";
    (0..2).for_each(|_| drop(shell.ok(kept)));
    assert!(number(&shell.ok(stats), "/bytes/products") <= 1000.0);
}
