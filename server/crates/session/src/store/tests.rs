//! The plans of the statements that run often: each finds its rows through an index, however large the tables are.

use super::{
    blocks, clamped, compactions, entries, entry_versions, exchange, lists, messages, outline, paths, search,
    trash, weights, words,
};
use sqlx::{AssertSqlSafe, Row};

/// The steps of a statement's plan.
async fn plan(sql: &str) -> Vec<String> {
    let temp = testkit::temp_database().await;
    let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}"));
    let mut query = sqlx::query(explain);
    for _ in 0..sql.matches('?').count().min(7) {
        query = query.bind("1");
    }
    let mut tx = temp.db.write().await.unwrap();
    let rows = query.fetch_all(&mut *tx).await.unwrap();
    rows.iter().map(|row| row.get("detail")).collect()
}

#[tokio::test]
async fn no_statement_that_runs_often_reads_a_whole_table() {
    for sql in [
        paths::CONTENTS,
        paths::CONTENTS_AT,
        paths::SIZES,
        paths::IDS,
        paths::MEASURE,
        paths::IS_AMONG_LAST,
        paths::HOLDING,
        paths::FORGOTTEN,
        paths::DESCEND,
        paths::RENEW_DEPTHS,
        blocks::FIND,
        blocks::VISIBLE,
        blocks::VERSIONS,
        blocks::CHANGES,
        entries::COUNT,
        entry_versions::LATEST,
        entry_versions::LIST,
        messages::CHILDREN,
        messages::VERSIONS,
        messages::PLACES,
        messages::LEAVES,
        messages::LATEST_LEAF,
        messages::LAST_CHILD,
        outline::NODES,
        search::ROWS_WITHIN,
        search::NAMED,
        search::UNFOLDED,
        trash::LAST_OF,
        search::FOUND,
        search::REMEMBERED,
        paths::SOME_BELOW,
        compactions::RANGES,
        weights::ADD,
        weights::RENEW_PATHS,
        weights::PINNED,
        weights::WAITING,
        exchange::MESSAGES,
        trash::DELETION_OF,
        trash::PUT,
        trash::NEEDED,
        trash::SIZES,
        trash::DISPLACE_CHILDREN,
        trash::MESSAGES,
        trash::SETTLE,
        trash::LIST,
        clamped::KEEP,
        clamped::RANGE,
    ] {
        let plan = plan(sql).await;
        let scans = |step: &&String| {
            let words: Vec<&str> = step.split(' ').collect();
            words[0] == "SCAN"
                && !["path", "down", "tree", "up", "asked", "gone", "home", "part", "CONSTANT"]
                    .contains(&words[1])
        };
        assert_eq!(plan.iter().find(scans), None, "{sql}\n{plan:#?}");
        assert!(plan.iter().any(|step| step.starts_with("SEARCH")), "{sql}\n{plan:#?}");
    }
}

#[tokio::test]
async fn lists_come_out_of_their_index_in_order() {
    for (sql, index) in [
        (lists::NEWEST, "assistant_sessions_newest"),
        (lists::NAMES, "assistant_sessions_newest"),
        (lists::CHILDREN, "assistant_sessions_children"),
        (lists::TRASHED, "assistant_sessions_trash"),
        (messages::CHILDREN, "assistant_messages_children"),
        (messages::LATEST_LEAF, "assistant_messages_order"),
        (messages::LEAVES, "assistant_messages_order"),
    ] {
        let plan = plan(sql).await;
        assert!(
            plan.iter().any(|step| step.starts_with("SEARCH") && step.contains(index)),
            "{sql}\n{plan:#?}"
        );
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{sql}\n{plan:#?}");
    }
}

#[tokio::test]
async fn a_search_asks_the_index_and_takes_its_order() {
    let plan = plan(search::NEWEST).await;
    // 192: the newest row first; M: by matching; without a step that sorts.
    assert!(plan[0].starts_with("SCAN assistant_fts VIRTUAL TABLE INDEX 192:M"), "{plan:#?}");
    assert!(plan[1..].iter().all(|step| step.starts_with("SEARCH")), "{plan:#?}");
}

#[tokio::test]
async fn a_piece_is_looked_up_among_trigrams() {
    let plan = plan(words::HOLDING).await;
    assert!(plan[0].starts_with("SCAN assistant_word_pieces VIRTUAL TABLE INDEX 64:M"), "{plan:#?}");
    assert!(plan[1..].iter().all(|step| step.starts_with("SEARCH")), "{plan:#?}");
}
