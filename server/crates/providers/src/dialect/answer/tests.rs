//! However the network cuts a stream into pieces, the same events come out.

use super::*;
use crate::dialect::call_ids::CallIds;
use crate::dialect::ollama::stream::Decoder as LineDecoder;
use crate::dialect::openai::stream::Decoder;
use crate::entropy::Entropy;
use axum::http;
use futures::executor::block_on;
use futures::stream;
use model::ModelRequest;
use model::contract::check_grammar;
use proptest::prelude::*;
use std::convert::Infallible;

type Item = Result<ModelEvent, ModelError>;

/// A stream with everything in it: comments, both line ends, long letters, reasoning, two calls, usage.
const RECORDED: &str = concat!(
    ": OPENROUTER PROCESSING\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"Erst 木\"}}]}\r\n\r\n",
    "data:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Gr\u{fc}\u{df}e \"}}]}\n\n:\n\n",
    "data: {\"choices\":[{\"index\":0,\r\ndata: \"delta\":{\"content\":\"\u{1f333}\\ud83c\\udf33\"}}]}\r\n\r\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"t\",\"arguments\":\"{\\\"x\\\":\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":{\"name\":\"u\",\"arguments\":\"{}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"\u{1f333}\\\"}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\n",
    "data: [DONE]\n\n",
);

/// The same up to the first call, then an error.
fn failing() -> String {
    let until = RECORDED.find("data: {\"choices\":[{\"delta\":{\"tool_calls").unwrap_or_default();
    format!("{}data: {{\"error\":{{\"code\":502,\"message\":\"gone\"}}}}\n\n", &RECORDED[..until])
}

/// The same for a server that writes a document in each line: both line ends, empty lines, an emoji whose halves come in
/// two documents, a last line that does not end.
const LINES: &str = concat!(
    "{\"message\":{\"role\":\"assistant\",\"content\":\"\",\"thinking\":\"Erst 木\"},\"done\":false}\n",
    "{\"message\":{\"content\":\"Gr\u{fc}\u{df}e \u{1f333}\\ud83c\"},\"done\":false}\r\n\r\n\n",
    "{\"message\":{\"content\":\"\\udf33\"},\"done\":false}\n",
    "{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"t\",\"arguments\":{\"x\":\"🌳\"}}}]}}\n",
    "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":3,\"eval_count\":4}",
);

/// What an answer of these pieces means.
fn read(pieces: Vec<Vec<u8>>) -> Vec<Item> {
    read_as(pieces, |body, target, ids| {
        let decoder = Decoder::new(target.clone(), ids);
        Answer::stream(body, target, decoder, HttpSettings::default())
    })
}

fn read_lines(pieces: Vec<Vec<u8>>) -> Vec<Item> {
    read_as(pieces, |body, target, ids| {
        let decoder = LineDecoder::new(target.clone(), ids);
        Answer::lines(body, target, decoder, HttpSettings::default())
    })
}

fn read_as<D: Decode>(
    pieces: Vec<Vec<u8>>,
    begin: impl FnOnce(Body, Target, CallIds) -> Answer<D>,
) -> Vec<Item> {
    let body = reqwest::Body::wrap_stream(stream::iter(pieces.into_iter().map(Ok::<_, Infallible>)));
    let response = reqwest::Response::from(http::Response::new(body));
    let target = Target::new("acme", "http://127.0.0.1:1", None).expect("an address");
    let ids = CallIds::new(&ModelRequest::default(), &Entropy::fixed(1));
    let mut answer = begin(Body::new(response), target, ids);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let _entered = runtime.enter();
    let mut items = Vec::new();
    loop {
        match block_on(answer.next()) {
            Ok(Some(events)) => items.extend(events.into_iter().map(Ok)),
            Ok(None) => return items,
            Err(error) => items.push(Err(error)),
        }
    }
}

/// Cuts at these places, in whatever order they come.
fn cut(bytes: &[u8], places: &[prop::sample::Index]) -> Vec<Vec<u8>> {
    let mut places: Vec<usize> = places.iter().map(|place| place.index(bytes.len())).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.dedup();
    places.windows(2).map(|pair| bytes[pair[0]..pair[1]].to_vec()).collect()
}

fn said(items: &[Item]) -> String {
    let said = items.iter().filter_map(|item| match item {
        Ok(ModelEvent::TextDelta { delta, .. } | ModelEvent::ReasoningDelta { delta, .. }) => {
            Some(delta.as_str())
        }
        Ok(ModelEvent::ToolInputEnd { input, .. }) => Some(input),
        _ => None,
    });
    said.collect()
}

#[test]
fn the_recorded_streams_mean_all_that_is_in_them() {
    for (items, calls) in [(read(vec![RECORDED.into()]), "{}"), (read_lines(vec![LINES.into()]), "")] {
        assert_eq!(check_grammar(&items), Ok(()));
        assert_eq!(said(&items), format!("Erst 木Grüße 🌳🌳{{\"x\":\"🌳\"}}{calls}"));
        assert!(matches!(items.last(), Some(Ok(ModelEvent::Finish { .. }))), "{items:?}");
    }
    let failed = read(vec![failing().into()]);
    assert_eq!((failed.len(), failed.last().is_some_and(Result::is_err)), (7, true), "{failed:?}");
}

proptest! {
    #[test]
    fn pieces_do_not_matter(places in prop::collection::vec(any::<prop::sample::Index>(), 0..60)) {
        for stream in [RECORDED.to_owned(), failing()] {
            prop_assert_eq!(read(cut(stream.as_bytes(), &places)), read(vec![stream.clone().into()]));
        }
        prop_assert_eq!(read_lines(cut(LINES.as_bytes(), &places)), read_lines(vec![LINES.into()]));
    }

    #[test]
    fn a_stream_cut_off_anywhere_keeps_the_grammar(at in any::<prop::sample::Index>()) {
        let bytes = RECORDED.as_bytes();
        let items = read(vec![bytes[..at.index(bytes.len())].to_vec()]);
        prop_assert_eq!(check_grammar(&items), Ok(()));
        let whole = read(vec![bytes.to_vec()]);
        let is_end = |item: &&Item| matches!(item, Ok(ModelEvent::Usage(_) | ModelEvent::Finish { .. }) | Err(_));
        let said: Vec<&Item> = items.iter().filter(|item| !is_end(item)).collect();
        let all: Vec<&Item> = whole.iter().filter(|item| !is_end(item)).collect();
        prop_assert_eq!(&said[..], &all[..said.len()]);
    }
}
