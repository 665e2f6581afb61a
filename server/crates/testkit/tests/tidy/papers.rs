//! Papers keep up with the code: who changes the wire has read what the paper says about it.

use crate::files::{self, File};

/// Files of `app/protocol/src` that are not seen on the wire.
const NOT_WIRE: [&str; 3] =
    ["app/protocol/src/accumulate", "app/protocol/src/lib.rs", "app/protocol/src/tests"];
const PAPER: &str = "server/docs/protocol.md";
const MARK: &str = "Wire files: ";

#[test]
fn the_wire_does_not_change_without_its_paper() {
    let all = files::all();
    let is_wire = |file: &&File| {
        let path = &file.path;
        path.starts_with("app/protocol/src/")
            && !file.is_test()
            && !NOT_WIRE.iter().any(|not| path.starts_with(not))
    };
    let wire: Vec<&File> = all.iter().filter(is_wire).collect();
    assert!(wire.len() >= 10, "the wire files have moved; mend this test");
    let actual =
        format!("{:016x}", hash(wire.iter().flat_map(|file| [file.path.as_str(), file.text.as_str()])));
    let Some(paper) = all.iter().find(|file| file.path == PAPER) else {
        return;
    };
    let recorded =
        paper.text.lines().find_map(|line| line.split_once(MARK)).map_or("nothing", |(_, rest)| rest);
    let recorded = recorded.trim_matches(['`', '.', ' ']);
    assert_eq!(
        recorded, actual,
        "the files of the wire changed: read {PAPER}, mend what it says, then record `{MARK}{actual}` in it"
    );
}

/// FNV-1a: short, and the same on every machine.
fn hash<'a>(texts: impl Iterator<Item = &'a str>) -> u64 {
    let bytes = texts.flat_map(str::bytes).filter(|byte| *byte != b'\r');
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
