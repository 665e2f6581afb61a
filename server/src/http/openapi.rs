//! The description of the API: made from the handlers' own attributes, completed with what all of them share.

use serde::Serialize;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Content, Info, OpenApi, Ref, RefOr, Required, Server};
use utoipa::{PartialSchema, ToSchema};

/// The names in braces in addresses, and what they mean.
const PATH_PARAMETERS: [(&str, &str); 10] = [
    ("agent", "An agent of the configuration."),
    ("name", "An instance of the agent; it comes to be when it is first named."),
    ("id", "A session; `~` is the default one."),
    ("mid", "A message."),
    ("oid", "A summary."),
    ("label", "A context block."),
    ("submission", "A submission."),
    ("login", "A sign-in or token."),
    ("tool", "The name of a tool."),
    ("version", "The number of a version."),
];

/// The body of a failed request (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemSchema {
    /// `about:blank`.
    #[serde(rename = "type")]
    kind: String,
    /// The name of the status.
    title: String,
    /// The status.
    status: u16,
    /// What is wrong, for people.
    detail: String,
    /// What is wrong, for programs.
    code: protocol::ErrorCode,
}

/// Completes the description that the handlers make; `base` comes before every address.
pub(crate) fn complete(mut document: OpenApi, base: &str) -> OpenApi {
    let mut info = Info::new("Bough", env!("CARGO_PKG_VERSION"));
    info.description =
        Some("The JSON API of Bough. What happens is told by frames on the socket.".to_owned());
    document.info = info;
    document.servers = Some(vec![Server::new(if base.is_empty() { "/" } else { base })]);
    for (path, item) in &mut document.paths.paths {
        operations(item).for_each(|(method, operation)| complete_operation(operation, method, path));
    }
    let components = document.components.get_or_insert_default();
    let _new = components.schemas.insert("Problem".to_owned(), ProblemSchema::schema());
    let _new = components.schemas.insert("ErrorCode".to_owned(), protocol::ErrorCode::schema());
    document
}

/// The operations of an address, with the names of their methods.
pub(crate) fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    let all = [("get", get), ("put", put), ("post", post), ("delete", delete), ("patch", patch)];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

fn complete_operation(operation: &mut Operation, method: &str, path: &str) {
    operation.operation_id = Some(operation_id(method, path));
    let named = PATH_PARAMETERS.iter().filter(|(name, _)| path.contains(&format!("{{{name}}}")));
    operation.parameters.get_or_insert_default().extend(named.map(|row| path_parameter(*row).into()));
    if path.contains("{mid}") && !path.contains("{id}") {
        let described = "The session; absent means the default one.";
        let session = parameter("session", described).parameter_in(ParameterIn::Query);
        operation.parameters.get_or_insert_default().push(session.build().into());
    }
    for (status, described) in [("401", "Sign in, or send a token"), ("default", "What is wrong")] {
        let reference = RefOr::Ref(Ref::from_schema_name("Problem"));
        let problem = ResponseBuilder::new()
            .description(described)
            .content("application/problem+json", Content::new(Some(reference)));
        let _new = operation.responses.responses.insert(status.to_owned(), problem.build().into());
    }
}

/// A name for the operation: its method and the words of its address.
fn operation_id(method: &str, path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let own = words.skip_while(|word| ["api", "v1", "agents", "agent", "name"].contains(word));
    std::iter::once(method).chain(own).collect::<Vec<_>>().join("_")
}

fn path_parameter((name, description): (&str, &str)) -> Parameter {
    parameter(name, description).parameter_in(ParameterIn::Path).required(Required::True).build()
}

fn parameter(name: &str, description: &str) -> ParameterBuilder {
    let text = ObjectBuilder::new().schema_type(Type::String);
    ParameterBuilder::new().name(name).description(Some(description)).schema(Some(text))
}
