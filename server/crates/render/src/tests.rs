//! What is drawn, and what is not.

use super::*;
use protocol::{CODE_CLASSES, Run};

/// A test must not depend on how fast a machine is.
fn patient() -> Renderer {
    Renderer::new(Duration::from_secs(600))
}

fn piece(kind: RenderKind, language: &str, text: &str) -> RenderPiece {
    RenderPiece { kind, language: language.to_owned(), display: false, text: text.to_owned() }
}

/// Code with `<class:text>` for each run that is not plain.
fn coloured(renderer: &Renderer, language: &str, text: &str) -> String {
    let drawing = renderer.draw(&piece(RenderKind::Code, language, text));
    let Drawing::Runs(runs) = drawing else { panic!("{drawing:?}") };
    let (mut shown, mut rest) = (String::new(), text);
    for Run(length, class) in runs {
        let (run, after) = rest.split_at(length);
        rest = after;
        shown += &if class == 0 { run.to_owned() } else { format!("<{}:{run}>", CODE_CLASSES[class]) };
    }
    shown + rest
}

#[test]
fn code_has_colours() {
    let renderer = patient();
    let check = |language: &str, text: &str, expected: &str| {
        assert_eq!(coloured(&renderer, language, text), expected, "{language}");
    };
    check("rust", "fn a() -> u8 { 1 }", "<keyword:fn> <function:a>() -> <keyword:u8> { <constant:1> }");
    check("Python3", "# é\nimport os", "<comment:# é\n><keyword:import> os");
    check("json", "{\"a\": true}", "{<string:\"a\">: <constant:true>}");
    check("zsh", "echo \"$i\" # c", "<function:echo> <string:\"$>i<string:\"> <comment:# c>");
    check("toml", "[a]\nb = 'c'", "[<type:a>]\n<keyword:b> = <string:'c'>");
    check("diff", "-x\n+y", "<deleted:-x\n><inserted:+y>");
    check("dockerfile", "FROM a", "<keyword:FROM> a");
    check("html", "<b c='d'>", "<<keyword:b> <attribute:c>=<string:'d'>>");
}

#[test]
fn what_nobody_knows_is_plain() {
    let renderer = patient();
    for language in ["", "text", "klingon", "../../etc/passwd"] {
        let drawn = renderer.draw(&piece(RenderKind::Code, language, "fn a() {}"));
        assert_eq!(drawn, Drawing::Runs(Vec::new()), "{language}");
    }
}

#[test]
fn code_beyond_its_limits_is_plain() {
    let renderer = patient();
    let line = "x".repeat(limits::RENDER_LINE_MAX_BYTES + 1);
    let shown = coloured(&renderer, "rust", &format!("// a\n{line}\n// b\n"));
    assert_eq!(shown, format!("<comment:// a\n>{line}\n// b\n"));
    let large = "// a\n".repeat(limits::RENDER_CODE_MAX_BYTES / 5 + 1);
    assert_eq!(coloured(&renderer, "rust", &large), large);
    let hasty = Renderer::new(Duration::ZERO);
    assert_eq!(coloured(&hasty, "rust", "// a"), "// a");
    hasty.drawn.run_pending_tasks();
    assert_eq!(hasty.drawn.entry_count(), 0, "what was cut short is not remembered");
}

fn formula(source: &str) -> Drawing {
    patient().draw(&piece(RenderKind::Maths, "", source))
}

fn mathml(inner: &str) -> Drawing {
    Drawing::Mathml(format!("<math display=\"inline\">{inner}</math>"))
}

#[test]
fn formulas_become_mathml() {
    assert_eq!(formula("x^2"), mathml("<msup><mi>x</mi><mn>2</mn></msup>"));
    let own = RenderPiece { display: true, ..piece(RenderKind::Maths, "", "x") };
    assert_eq!(patient().draw(&own), Drawing::Mathml("<math display=\"block\"><mi>x</mi></math>".to_owned()));
    assert_eq!(
        formula("\\sqrt[3]{x} \\le \\infty"),
        mathml("<mroot><mrow><mi>x</mi></mrow><mn>3</mn></mroot><mo>≤</mo><mi>∞</mi>"),
    );
}

#[test]
fn i08_formulas_hold_nothing_but_formulas() {
    assert_eq!(formula("\\operatorname{<img src=x onerror=alert(1)>}"), mathml("<mi></mi>"));
    assert_eq!(
        formula("\\text{<b onclick=a>c</b>}"),
        mathml("<mtext>&lt;b onclick=a&gt;c&lt;/b&gt;</mtext>")
    );
    for source in [
        "\\operatorname{<img/src=x/onerror=alert(1)>}",
        "\\operatorname{<svg onload=alert(1)>}",
        "\\operatorname{<mtext><style><!--</style><img src=x onerror=alert(1)>}",
        "\\operatorname{<a href=javascript:alert(1)>x</a>}",
        "\\operatorname{<maction actiontype=statusline href=javascript:alert(1)>x</maction>}",
        "\\color{red;background:url(//x)}{x}",
    ] {
        let shown = format!("{:?}", formula(source));
        let is_clean = ["<img", "<svg", "<a", "<style", "href", "style=", "onerror=a"];
        let found: Vec<&str> = is_clean.into_iter().filter(|word| shown.contains(word)).collect();
        assert!(found.is_empty() || shown.starts_with("Problem"), "{source}: {shown}");
    }
}

#[test]
fn a_wrong_formula_says_what_is_wrong() {
    let problem = |text: &str| Drawing::Problem(text.to_owned());
    assert_eq!(formula("\\foo"), problem("unknown primitive command found, near `\\foo`"));
    assert_eq!(
        formula("\\frac{1}{"),
        problem("unbalanced group found, expected it to be closed with `}`, near `\\frac{1}{`"),
    );
    assert_eq!(
        formula("\\def\\a{\\a\\a}\\a"),
        problem("`\\def` is not known here: formulas cannot define commands"),
    );
    assert!(matches!(formula("\\left(x\\right)"), Drawing::Mathml(_)));
    let long = "x".repeat(limits::RENDER_MATHS_MAX_BYTES + 1);
    assert_eq!(formula(&long), problem("a formula of 4097 bytes is not drawn; the limit is 4096"));
}

#[test]
fn deep_formulas_end() {
    for (open, close) in [("{", "}"), ("x^{", "}"), ("\\sqrt{", "}"), ("\\left(", "\\right)"), ("{}", "")] {
        let deep = limits::RENDER_MATHS_MAX_BYTES / (open.len() + close.len()) - 1;
        let drawn = formula(&(open.repeat(deep) + "x" + &close.repeat(deep)));
        assert!(!matches!(drawn, Drawing::Runs(_) | Drawing::Svg(_)), "{open}");
    }
}

fn diagram(source: &str) -> Drawing {
    patient().draw(&piece(RenderKind::Diagram, "mermaid", source))
}

#[test]
fn diagrams_become_pictures_without_scripts() {
    for source in [
        "flowchart LR\n A[a <b>b</b>] --> B{c}\n B --> C[\"<script>alert(1)</script>\"]",
        "flowchart LR\n A-->B\n click A \"javascript:alert(1)\"",
        "sequenceDiagram\n Alice->>Bob: Hi",
        "classDiagram\n A <|-- B",
        "stateDiagram-v2\n [*] --> A",
        "erDiagram\n A ||--o{ B : has",
        "gantt\n section S\n a :a1, 2024-01-01, 30d",
        "pie title P\n \"a\" : 3",
        "mindmap\n root\n  a",
        "gitGraph\n commit",
        "timeline\n 2020 : a",
    ] {
        let Drawing::Svg(svg) = diagram(source) else { panic!("{source}: {:?}", diagram(source)) };
        assert!(svg.starts_with("<svg") && svg.len() < limits::RENDER_SVG_MAX_BYTES, "{source}");
        // An image runs no script anyway; this is the second wall.
        let found = ["<script", "javascript:", "<foreignObject", "onload"].map(|word| svg.contains(word));
        assert_eq!(found, [false; 4], "{source}");
    }
}

#[test]
fn i03_a_wrong_diagram_names_the_line() {
    let problem = |text: &str| Drawing::Problem(text.to_owned());
    assert_eq!(
        diagram("flowchart LR\n  A[Start --> B"),
        problem("line 2: Unterminated node label (missing `]`)"),
    );
    assert_eq!(diagram("nonsense"), problem("No Mermaid diagram type detected"));
    let long = "x".repeat(limits::RENDER_DIAGRAM_MAX_BYTES + 1);
    assert_eq!(diagram(&long), problem("a diagram of 32769 bytes is not drawn; the limit is 32768"));
}
