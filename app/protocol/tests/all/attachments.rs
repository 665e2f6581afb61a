//! Files, sources and data in the fold.

use crate::fold::{check, check_continuing, feed};
use protocol::{Accumulator, Applied};
use serde_json::json;

#[test]
fn files_and_sources_become_parts_with_all_they_carry() {
    check(
        "each kind",
        json!([
            { "type": "file", "url": "data:text/plain,a", "mediaType": "text/plain", "providerMetadata": { "p": 1 } },
            { "type": "source-url", "sourceId": "s1", "url": "https://example.org", "title": "Example" },
            { "type": "source-document", "sourceId": "s2", "mediaType": "application/pdf", "title": "Paper",
              "filename": "paper.pdf", "providerMetadata": { "p": 2 } },
        ]),
        json!([
            { "type": "file", "mediaType": "text/plain", "url": "data:text/plain,a", "providerMetadata": { "p": 1 } },
            { "type": "source-url", "sourceId": "s1", "url": "https://example.org", "title": "Example" },
            { "type": "source-document", "sourceId": "s2", "mediaType": "application/pdf", "title": "Paper",
              "filename": "paper.pdf", "providerMetadata": { "p": 2 } },
        ]),
    );
}

#[test]
fn data_with_an_id_is_replaced_in_place() {
    check(
        "same name and id; other name, other id, no id",
        json!([
            { "type": "data-a", "id": "1", "data": 1 },
            { "type": "data-b", "id": "1", "data": 2 },
            { "type": "data-a", "id": "2", "data": 3 },
            { "type": "data-a", "data": 4 },
            { "type": "data-a", "data": 5 },
            { "type": "data-a", "id": "1", "data": { "new": true } },
        ]),
        json!([
            { "type": "data-a", "id": "1", "data": { "new": true } },
            { "type": "data-b", "id": "1", "data": 2 },
            { "type": "data-a", "id": "2", "data": 3 },
            { "type": "data-a", "data": 4 },
            { "type": "data-a", "data": 5 },
        ]),
    );
    check_continuing(
        "a stored one",
        json!([{ "type": "data-a", "id": "1", "data": 1, "kept": true }]),
        json!([{ "type": "data-a", "id": "1", "data": 2 }]),
        json!([{ "type": "data-a", "id": "1", "data": 2, "kept": true }]),
    );
}

#[test]
fn transient_data_is_not_stored() {
    let chunks = json!([
        { "type": "data-a", "data": 1, "transient": true },
        { "type": "data-a", "data": 2, "transient": false },
    ]);
    let mut fold = Accumulator::new(Some("m1".into()));
    assert_eq!(feed(&mut fold, &chunks), [Applied::Nothing, Applied::Added(0)]);
    check("only the lasting one", chunks, json!([{ "type": "data-a", "data": 2 }]));
}
