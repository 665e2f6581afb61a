//! SQL stays with its owner: a table's name occurs in the statements of one crate only.

use crate::files::{self, report};
use crate::source::{production, texts};
use std::collections::{BTreeMap, BTreeSet};

/// Words after which SQL names a table.
const BEFORE_A_TABLE: [&str; 5] = ["from", "into", "join", "table", "update"];

#[test]
fn a_table_has_one_owner() {
    let sources = files::all();
    let tables: BTreeSet<String> = sources
        .iter()
        .filter(|file| file.path.contains("/migrations/") && file.path.ends_with(".sql"))
        .flat_map(|file| named_tables(&without_comments(&file.text)))
        .collect();
    let mut users: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for file in sources.iter().filter(|file| file.path.ends_with(".rs") && !file.is_test()) {
        let Some(folder) = file.crate_folder() else {
            continue;
        };
        for table in texts(&production(&file.text).0).into_iter().flat_map(named_tables) {
            users.entry(table).or_default().insert(folder);
        }
    }
    let shared = users.iter().filter(|(table, crates)| tables.contains(*table) && crates.len() > 1);
    let found =
        shared.map(|(table, crates)| format!("{table}: {crates:?}; ask the owner through a function"));
    report("A table is named in the SQL of one crate only.", &found.collect::<Vec<_>>());
}

#[test]
fn migrations_say_whose_they_are_and_why() {
    let mut found = Vec::new();
    for file in
        files::all().iter().filter(|file| file.path.contains("/migrations/") && file.path.ends_with(".sql"))
    {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let number = name.split('_').next().unwrap_or_default();
        if number.len() != 4 || !number.chars().all(|c| c.is_ascii_digit()) || name.split('_').count() < 3 {
            found.push(format!("{}: name it NNNN_owner_what.sql", file.path));
        }
        if !file.text.starts_with("-- ") {
            found.push(format!("{}: open it with a comment that says why", file.path));
        }
    }
    report("A migration is named by number and owner and says why.", &found);
}

fn without_comments(sql: &str) -> String {
    sql.lines().map(|line| line.split("--").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The names a piece of SQL uses as tables. Prose that merely looks like it names no table of ours.
fn named_tables(sql: &str) -> Vec<String> {
    let lower = sql.to_lowercase();
    let split = lower.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
    let is_filler = |word: &&str| word.is_empty() || ["if", "not", "exists"].contains(word);
    let words: Vec<&str> = split.filter(|word| !is_filler(word)).collect();
    let pairs = words.windows(2).filter(|pair| BEFORE_A_TABLE.contains(&pair[0]));
    pairs.map(|pair| pair[1].rsplit('.').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn tables_are_found_in_statements() {
    let sql = "CREATE TABLE IF NOT EXISTS a_b (id); insert into c(x) SELECT x FROM main.d\nJOIN \"e\" ON 1; UPDATE f SET g = 1";
    assert_eq!(named_tables(sql), ["a_b", "c", "d", "e", "f"]);
}
