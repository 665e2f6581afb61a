//! A server's list of tools, page by page. What is no tool is left out and named; the others are as good as
//! without it.

use protocol::limits::{MCP_CONNECT_MS, MCP_TOOLS_MAX};
use rmcp::model::{
    ClientRequest, CustomResult, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool as Offer,
};
use rmcp::{Peer, RoleClient};
use serde_json::Value;
use std::time::Duration;

/// What a server offers.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    pub(crate) good: Vec<Offer>,
    /// Why each of the others is left out.
    pub(crate) left_out: Vec<String>,
}

impl Offers {
    fn len(&self) -> usize {
        self.good.len() + self.left_out.len()
    }

    fn add(&mut self, page: Page) {
        for offer in page.tools.into_iter().take(MCP_TOOLS_MAX.saturating_sub(self.len())) {
            match offer {
                Ok(offer) => self.good.push(offer),
                Err(why) => self.left_out.push(why),
            }
        }
    }
}

/// One page of a list.
#[derive(Debug, PartialEq)]
struct Page {
    tools: Vec<Result<Offer, String>>,
    next: Option<String>,
}

/// The first [`MCP_TOOLS_MAX`] of a server's tools.
pub(crate) async fn list(peer: &Peer<RoleClient>) -> Result<Offers, String> {
    let pages = async {
        let (mut offers, mut cursor) = (Offers::default(), None);
        loop {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let answer = peer.send_request(request).await.map_err(|error| error.to_string())?;
            let page = page_of(answer)?;
            cursor = page.next.clone().filter(|_| !page.tools.is_empty());
            offers.add(page);
            if cursor.is_none() || offers.len() >= MCP_TOOLS_MAX {
                return Ok(offers);
            }
        }
    };
    let limit = Duration::from_millis(MCP_CONNECT_MS);
    match tokio::time::timeout(limit, pages).await {
        Ok(listed) => listed,
        Err(_elapsed) => Err(format!("no list of tools within {} s (MCP_CONNECT_MS)", limit.as_secs())),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "every other answer is equally wrong")]
fn page_of(answer: ServerResult) -> Result<Page, String> {
    match answer {
        ServerResult::ListToolsResult(page) => {
            Ok(Page { tools: page.tools.into_iter().map(Ok).collect(), next: page.next_cursor })
        }
        // The library gives what it cannot read as a whole as it was sent.
        ServerResult::CustomResult(CustomResult(page)) => read_one_by_one(page),
        _ => Err(NO_LIST.to_owned()),
    }
}

const NO_LIST: &str = "it answered something else than a list of tools";

fn read_one_by_one(mut page: Value) -> Result<Page, String> {
    let next = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
    let Some(Value::Array(tools)) = page.get_mut("tools").map(Value::take) else {
        return Err(NO_LIST.to_owned());
    };
    let read = |(at, tool): (usize, Value)| {
        let name =
            tool.get("name").and_then(Value::as_str).map_or_else(|| format!("#{}", at + 1), str::to_owned);
        serde_json::from_value(tool).map_err(|error| format!("{name}: {error}"))
    };
    Ok(Page { tools: tools.into_iter().enumerate().map(read).collect(), next })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The names of the tools on a page, and why the others are left out.
    fn read(page: Value) -> Result<(Vec<String>, Option<String>), String> {
        let page = page_of(serde_json::from_value(page).unwrap())?;
        let word = |tool: Result<Offer, String>| tool.map_or_else(|why| why, |tool| tool.name.into_owned());
        Ok((page.tools.into_iter().map(word).collect(), page.next))
    }

    #[test]
    fn a_tool_that_is_none_takes_no_other_with_it() {
        let good = json!({ "name": "good", "inputSchema": {} });
        let next = || Some("p2".to_owned());
        let rows = [
            (json!([good, good]), Ok((vec!["good", "good"], next()))),
            (json!([]), Ok((vec![], next()))),
            (
                json!([{ "name": "bare" }, good]),
                Ok((vec!["bare: missing field `inputSchema`", "good"], next())),
            ),
            (
                json!([good, { "name": 7, "inputSchema": {} }, good]),
                Ok((vec!["good", "#2: invalid type: integer `7`, expected a string", "good"], next())),
            ),
            (
                json!([{ "name": "odd", "inputSchema": "{}" }]),
                Ok((vec!["odd: invalid type: string \"{}\", expected a map"], next())),
            ),
            (json!({ "good": good }), Err(NO_LIST.to_owned())),
            (json!(null), Err(NO_LIST.to_owned())),
        ];
        for (tools, expected) in rows {
            let page = json!({ "tools": tools, "nextCursor": "p2" });
            let expected = expected.map(|(words, next): (Vec<&str>, _)| {
                (words.into_iter().map(str::to_owned).collect::<Vec<_>>(), next)
            });
            assert_eq!(read(page.clone()), expected, "{page}");
        }
        assert_eq!(read(json!({})), Err(NO_LIST.to_owned()));
    }
}
