//! Diagrams: Mermaid's language to SVG that is shown as an image, in which no script runs and nothing is fetched.

use crate::too_long;
use merman::svg::{RenderResourcePolicy, SvgPipeline};
use merman::{
    Engine, MermaidConfig, OperationControl, RenderError, RenderOutput, RenderRequest, Renderer,
    SvgEnvironment, SvgRequest,
};
use protocol::limits;
use std::time::Duration;

/// A renderer in greys, which go with either theme.
fn calm() -> Renderer {
    let mut config = MermaidConfig::default();
    config.set_value("theme", "neutral".into());
    Renderer::new().with_engine(Engine::new().with_site_config(config))
}

/// The picture of a diagram, or why there is none, with the line where that is known.
pub(crate) fn svg(source: &str) -> Result<String, String> {
    if source.len() > limits::RENDER_DIAGRAM_MAX_BYTES {
        return Err(too_long("a diagram", source.len(), limits::RENDER_DIAGRAM_MAX_BYTES));
    }
    let control = OperationControl::new().with_deadline(Duration::from_millis(limits::RENDER_DIAGRAM_MS));
    let request = SvgRequest {
        environment: SvgEnvironment::deterministic()
            .with_resource_policy(RenderResourcePolicy::constrained()),
        // An image shows no HTML, so labels are text.
        pipeline: Some(SvgPipeline::resvg_safe()),
        ..SvgRequest::default()
    };
    match calm().render(RenderRequest::svg(source, control, request)) {
        Ok(RenderOutput::Svg(Some(picture))) if picture.svg().len() <= limits::RENDER_SVG_MAX_BYTES => {
            Ok(picture.into_parts().0)
        }
        Ok(RenderOutput::Svg(Some(picture))) => {
            Err(too_long("a picture", picture.svg().len(), limits::RENDER_SVG_MAX_BYTES))
        }
        Ok(_) => Err("no kind of diagram is named".to_owned()),
        Err(error) => Err(reason(&error, source)),
    }
}

fn reason(error: &RenderError, source: &str) -> String {
    let RenderError::Parse(diagnostic) = error else { return error.to_string() };
    let line = diagnostic.terminal_diagnostic_details().span.map(|span| line_at(source, span.start));
    let text = diagnostic.terminal_safe_message();
    // It goes on with advice for whoever compiles it, or begins with the grammar's name for the kind of diagram.
    let text = text.split("; enable the").next().unwrap_or_default();
    let text = text
        .strip_prefix("Diagram parse error (")
        .and_then(|rest| rest.split_once("): "))
        .map_or(text, |(_, why)| why);
    line.map_or(text.to_owned(), |line| format!("line {line}: {text}"))
}

/// The number of the line that a byte lies in.
fn line_at(source: &str, at: usize) -> usize {
    source.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}
