//! The description of the API says exactly what the server answers.

use crate::support::{TestApp, call};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const METHODS: [&str; 5] = ["get", "put", "post", "delete", "patch"];

/// Every address with its methods.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap();
    let of_path = |(path, item): (&String, &Value)| -> Vec<(String, String, Value)> {
        let methods = item.as_object().unwrap().iter();
        methods.map(|(method, operation)| (method.clone(), path.clone(), operation.clone())).collect()
    };
    paths.iter().flat_map(of_path).collect()
}

/// An address for an instance that exists, and things that do not.
fn address(path: &str) -> String {
    let path = path.replace("{agent}", "assistant").replace("{name}", "default").replace("{version}", "7");
    let path = path.replace("{submission}", "none");
    path.replace("{id}", "none").replace("{mid}", "none").replace("{oid}", "none").replace("{label}", "none")
}

/// A route whose method is missing from the description is answered with something else than 405; one that is only
/// in the description, with 404 and `not_found`, or 405.
#[tokio::test]
async fn every_route_is_described_and_every_description_has_a_route() {
    let app = TestApp::start().await;
    let (status, document) = app.get("/api/v1/openapi.json").await;
    assert_eq!((status, document["openapi"].as_str()), (200, Some("3.1.0")), "{document}");
    let described: BTreeSet<(String, String)> =
        operations(&document).into_iter().map(|(method, path, _)| (method, path)).collect();
    assert!(described.len() > 30, "{described:?}");
    let paths: BTreeSet<String> = described.iter().map(|(_, path)| path.clone()).collect();
    for path in paths {
        for method in METHODS {
            let (status, problem) = call(&app, &method.to_uppercase(), &address(&path), None).await;
            let is_there = status != 405 && problem["code"] != json!("not_found");
            let is_described = described.contains(&(method.to_owned(), path.clone()));
            assert_eq!(is_there, is_described, "{method} {path}: {status} {problem}");
        }
    }
}

#[tokio::test]
async fn every_operation_names_its_parameters_its_failure_and_itself() {
    let app = TestApp::with(&[("BOUGH_BASE_PATH", "/chat")], "").await;
    let (_, document) = app.get("/chat/api/v1/openapi.json").await;
    assert_eq!(document["servers"], json!([{"url": "/chat"}]));
    let mut ids = BTreeSet::new();
    for (method, path, operation) in operations(&document) {
        let told = format!("{method} {path}: {operation}");
        assert!(ids.insert(operation["operationId"].as_str().unwrap().to_owned()), "{told}");
        assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{told}");
        for status in ["401", "default"] {
            let failure = &operation["responses"][status]["content"]["application/problem+json"];
            assert!(failure.is_object(), "{told}");
        }
        let wanted: BTreeSet<&str> =
            path.split('/').filter_map(|word| word.strip_prefix('{')?.strip_suffix('}')).collect();
        let parameters = operation["parameters"].as_array().unwrap().iter();
        let named: BTreeSet<&str> =
            parameters.filter(|it| it["in"] == "path").map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(named, wanted, "{told}");
    }
    let import = &document["paths"]["/api/v1/agents/{agent}/{name}/import"]["post"]["requestBody"]["content"];
    let kinds: Vec<&String> = import.as_object().unwrap().keys().collect();
    assert_eq!(kinds, ["application/json", "application/zip"], "an import takes both");
    let text = document.to_string();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let references = text.split("#/components/schemas/").skip(1).map(|rest| rest.split('"').next().unwrap());
    for reference in references {
        assert!(schemas.contains_key(reference), "{reference} is nowhere described");
    }
}
