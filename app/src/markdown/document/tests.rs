//! Texts cut into pieces, and the blocks they become.

use super::*;
use crate::markdown::parse::nodes;

const SAMPLE: &str = "# Title\n\nA *few* words with `code` and [a link](https://example.org/x).\n\n\
- one\n- two\n\n  more\n- three\n\n1. first\n2. second\n\n```rust\nfn main() {\n\n    println!(\"{}\", 1);\n}\n```\n\n\
| a | b |\n|---|--:|\n| 1 | 2 |\n\n> quoted\n> text\n\n- [x] done\n- [ ] open\n\n<b>raw</b>\n\n---\n\n\
See [ref] for *all* of it, from $2bn to $4bn.\n\n[ref]: https://example.org/ref\n\nThe end.";

fn built(pieces: &[&str]) -> Vec<String> {
    let mut document = Document::default();
    let mut text = String::new();
    for piece in pieces {
        text.push_str(piece);
        document.set(&text, Growth::Open);
    }
    document.set(&text, Growth::Complete);
    let definitions = document.definitions().clone();
    document.blocks().map(|block| format!("{:?}", nodes(&block.source, block.growth, &definitions))).collect()
}

#[test]
fn any_cutting_gives_the_same_blocks() {
    let whole = built(&[SAMPLE]);
    assert!(whole.len() > 8, "{whole:#?}");
    for size in [1, 2, 3, 7, 20, 64] {
        let chars: Vec<char> = SAMPLE.chars().collect();
        let pieces: Vec<String> = chars.chunks(size).map(|piece| piece.iter().collect()).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        assert_eq!(built(&pieces), whole, "pieces of {size}");
    }
}

const STEPS: &str = "Do this:\n\n1. Install it:\n\n   ```sh\n   ls\n\n   ls\n   ```\n\n2. Then:\n   ```sh\n   cd\n   ```\n\
3. So.\n\nDone.\n\n- a\n\n```sh\nls\n```\n";

#[test]
fn code_in_a_list_stays_in_it_however_the_text_is_cut() {
    let whole = built(&[STEPS]);
    let (_, steps) = STEPS.split_once("\n\n").expect("a list");
    let (steps, _) = steps.split_once("Done").expect("what follows it");
    let expected: Vec<String> = ["Do this:", steps, "Done.", "- a", "```sh\nls\n```"]
        .iter()
        .map(|block| format!("{:?}", nodes(block, Growth::Complete, &Definitions::new())))
        .collect();
    assert_eq!(whole, expected);
    for size in [1, 2, 3, 5, 17] {
        let chars: Vec<char> = STEPS.chars().collect();
        let pieces: Vec<String> = chars.chunks(size).map(|piece| piece.iter().collect()).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        assert_eq!(built(&pieces), whole, "pieces of {size}");
    }
}

#[test]
fn finished_blocks_keep_id_and_text_while_the_last_one_grows() {
    let mut document = Document::default();
    document.set("First paragraph.\n\nSecond", Growth::Open);
    let first: Vec<Block> = document.blocks().cloned().collect();
    document.set("First paragraph.\n\nSecond grows", Growth::Open);
    let second: Vec<Block> = document.blocks().cloned().collect();
    document.set("First paragraph.\n\nSecond grows.\n\nThird", Growth::Complete);
    let third: Vec<Block> = document.blocks().cloned().collect();
    assert_eq!((first.len(), second.len(), third.len()), (2, 2, 3));
    assert_eq!(first.first(), second.first());
    assert_eq!(second.first(), third.first());
    let ids = |blocks: &[Block]| blocks.iter().map(|block| block.id).collect::<Vec<_>>();
    assert_eq!(ids(&first), ids(&second));
    assert_eq!(ids(&third).get(..2), Some(ids(&second).as_slice()));
}

#[test]
fn half_typed_marks_look_finished() {
    let shown = |text: &str| {
        let mut document = Document::default();
        document.set(text, Growth::Open);
        let definitions = document.definitions().clone();
        document
            .blocks()
            .map(|block| format!("{:?}", nodes(&block.source, block.growth, &definitions)))
            .collect::<String>()
    };
    assert_eq!(shown("some **bold"), shown("some **bold**"));
    assert_eq!(shown("a `bit"), shown("a `bit`"));
    assert_eq!(shown("```rust\nlet x"), shown("```rust\nlet x\n```"));
    assert_eq!(shown("```rust\nlet x\n``"), shown("```rust\nlet x\n```"));
    assert!(shown("see [this](https://exa").contains("this"));
    assert!(!shown("see [this](https://exa").contains("href: Some"));
}

#[test]
fn a_definition_that_comes_late_mends_the_blocks_before_it() {
    let mut document = Document::default();
    document.set("See [ref].\n\n", Growth::Open);
    document.set("See [ref].\n\nMore.\n\n[ref]: https://example.org/\n\n", Growth::Complete);
    let first = document.blocks().next().expect("a block");
    let html = format!("{:?}", nodes(&first.source, first.growth, document.definitions()));
    assert!(html.contains("https://example.org/"), "{html}");
    assert_eq!(first.revision, 1);
}

#[test]
fn a_text_that_does_not_go_on_starts_afresh_under_new_ids() {
    let mut document = Document::default();
    document.set("One.\n\nTwo", Growth::Open);
    let old: Vec<u64> = document.blocks().map(|block| block.id).collect();
    document.set("Other.", Growth::Complete);
    let new: Vec<Block> = document.blocks().cloned().collect();
    assert_eq!(new.len(), 1);
    assert!(new.iter().all(|block| !old.contains(&block.id)));
}
