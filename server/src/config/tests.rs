//! The configuration as data: what is given, and what comes out of it.

use super::*;
use crate::auth::password::Password;
use crate::cli::{self, Command};
use ::providers::{ProviderConfig, Secret, ThinkTags};
use toml::Table;

/// What a case is given: arguments, variables, and the text of `bough.toml`.
#[derive(Default)]
struct Given<'a> {
    arguments: &'a str,
    variables: &'a [(&'a str, &'a str)],
    file: Option<&'a str>,
}

fn load(given: &Given) -> Result<Config, ConfigError> {
    let folder = tempfile::tempdir().unwrap();
    if let Some(text) = given.file {
        std::fs::write(folder.path().join("bough.toml"), text).unwrap();
    }
    let variables = given.variables.iter().copied();
    let data = ("BOUGH_DATA", folder.path().to_str().unwrap());
    let variables =
        std::iter::once(data).chain(variables).map(|(name, value)| (name.to_owned(), value.to_owned()));
    let arguments = std::iter::once("bough").chain(given.arguments.split_whitespace());
    let (command, invocation) = cli::invocation(arguments, variables.collect()).unwrap();
    assert_eq!(command, Command::Serve);
    Config::load(invocation)
}

/// The error's text; the temporary folder's name is cut out.
fn complaint(given: &Given) -> String {
    let text = load(given).map(|config| config.report()).expect_err("must be refused").to_string();
    let Some(start) = text.find('/').filter(|_| text.contains("bough.toml")) else { return text };
    let end = text.find("bough.toml").unwrap();
    format!("{}{}", &text[..start], &text[end..])
}

#[test]
fn a_flag_wins_over_a_variable_and_that_over_the_file() {
    let check = |given: Given, expected: &str| {
        assert_eq!(load(&given).unwrap().models.model.as_deref(), Some(expected));
    };
    let file = Some("model = 'file/m'");
    let variables: &[(&str, &str)] = &[("BOUGH_MODEL", "variable/m")];
    check(Given { file, ..Given::default() }, "file/m");
    check(Given { file, variables, ..Given::default() }, "variable/m");
    check(Given { file, variables, arguments: "--model flag/m" }, "flag/m");
    check(Given { file, variables: &[("BOUGH_MODEL", "")], ..Given::default() }, "file/m");
}

#[test]
fn every_setting_can_stand_in_the_file() {
    let file = "
        addr = '127.0.0.1:4000'
        base_path = 'chat/'
        allowed_hosts = ['Chat.example', 'other.example']
        allowed_origins = 'https://chat.example'
        model = 'openai/gpt-x'
        openai_base_url = 'http://127.0.0.1:9/v1/'
        openai_api_key = 'very secret'
        provider_retries = 0
        auto_title = false
        log = 'debug'
    ";
    let config = load(&Given { file: Some(file), ..Given::default() }).unwrap();
    assert_eq!(
        config.listen,
        ListenConfig {
            addr: "127.0.0.1:4000".parse().unwrap(),
            base_path: "/chat".to_owned(),
            allowed_hosts: vec!["chat.example".to_owned(), "other.example".to_owned()],
            allowed_origins: vec!["https://chat.example".to_owned()],
        }
    );
    assert_eq!(config.models.openai_base_url.as_deref(), Some("http://127.0.0.1:9/v1"));
    assert_eq!((config.models.retries, config.models.auto_title), (0, false));
    assert_eq!(config.log.filter, "debug");
}

#[test]
fn defaults_are_those_of_the_papers() {
    let config = load(&Given::default()).unwrap();
    assert_eq!(config.listen.addr.to_string(), "127.0.0.1:3000");
    assert_eq!(config.listen.base_path, "");
    assert_eq!(config.models.model, None);
    assert_eq!((config.models.retries, config.models.auto_title), (2, true));
    assert_eq!(config.agents, [AgentConfig::default()]);
    assert_eq!(config.agents[0].name, "assistant");
}

#[test]
fn secrets_are_masked_wherever_a_configuration_is_printed() {
    let variables = &[("BOUGH_OPENAI_API_KEY", "very secret")];
    let config = load(&Given { variables, ..Given::default() }).unwrap();
    assert!(config.report().contains("openai_api_key = \"••••\""), "{}", config.report());
    assert!(!format!("{}{config:?}", config.report()).contains("very secret"));
}

#[test]
fn what_is_wrong_is_told_with_its_place_and_the_fix() {
    let file = |text: &str, expected: &str| {
        assert_eq!(complaint(&Given { file: Some(text), ..Given::default() }), expected);
    };
    file("modle = 'a/b'", "bough.toml: there is no setting modle; did you mean model?");
    file("colour = 1", "bough.toml: there is no setting colour");
    file("model = 1.5", "model in bough.toml: a float cannot be used here");
    file("config = 'x.toml'", "bough.toml: there is no setting config");
    file(
        "data = '/elsewhere'",
        "data in bough.toml: only --data, BOUGH_DATA and a --config file can say this",
    );
    let variable = |name: &str, value: &str, expected: &str| {
        let variables = &[(name, value)];
        assert_eq!(complaint(&Given { variables, ..Given::default() }), expected);
    };
    variable(
        "BOUGH_MODLE",
        "a/b",
        "the environment: there is no setting BOUGH_MODLE; did you mean BOUGH_MODEL?",
    );
    variable(
        "BOUGH_ADDR",
        "3000",
        "BOUGH_ADDR: \"3000\" is not an address of the form HOST:PORT, such as 127.0.0.1:3000",
    );
    variable("BOUGH_PROVIDER_RETRIES", "-1", "BOUGH_PROVIDER_RETRIES: \"-1\" is not a number from 0 up");
    variable("BOUGH_AUTO_TITLE", "yes", "BOUGH_AUTO_TITLE: \"yes\" is not true or false");
    variable(
        "BOUGH_BASE_PATH",
        "/a b",
        "BOUGH_BASE_PATH: \"/a b\" is not a path of letters, digits and -._~",
    );
    variable(
        "BOUGH_MODEL",
        "gpt",
        "BOUGH_MODEL: \"gpt\" is not of the form PROVIDER/MODEL, such as ollama/qwen3:8b or builtin/guide",
    );
    variable(
        "BOUGH_OPENAI_BASE_URL",
        "localhost:8080",
        "BOUGH_OPENAI_BASE_URL: \"localhost:8080\" does not begin with http:// or https://",
    );
}

#[test]
fn an_address_is_a_number_and_a_port() {
    let load = |value: &str| load(&Given { variables: &[("BOUGH_ADDR", value)], ..Given::default() });
    for (value, expected) in [
        ("127.0.0.1:0", "127.0.0.1:0"),
        ("127.8.8.8:1", "127.8.8.8:1"),
        ("localhost:80", "127.0.0.1:80"),
        ("[::1]:80", "[::1]:80"),
        ("0.0.0.0:3000", "0.0.0.0:3000"),
        ("192.168.1.2:3000", "192.168.1.2:3000"),
    ] {
        assert_eq!(load(value).unwrap().listen.addr.to_string(), expected);
    }
}

#[test]
fn a_password_comes_in_a_variable_or_in_a_file_and_is_never_printed() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (good, short) = (write("good", b"correct horse\n"), write("short", b"1234567\n"));
    let (broken, long) = (write("broken", b"\xff\xfe12345678"), write("long", &[b'x'; 2_000]));
    let none = folder.path().join("none").to_str().unwrap().to_owned();
    let given = |variables: &[(&str, &str)]| load(&Given { variables, ..Given::default() });
    for variables in [[("BOUGH_PASSWORD", "correct horse")], [("BOUGH_PASSWORD_FILE", &*good)]] {
        let config = given(&variables).unwrap();
        assert_eq!(config.password, Password::new("correct horse").ok());
        let report = config.report();
        assert!(report.contains("password = \"••••\"") && !report.contains("horse"), "{report}");
    }
    assert_eq!(given(&[]).unwrap().password, None);
    for (variables, expected) in [
        (&[("BOUGH_PASSWORD", "1234567")][..], "BOUGH_PASSWORD: a password has at least 8 characters"),
        (&[("BOUGH_PASSWORD_FILE", &*short)], "BOUGH_PASSWORD_FILE: a password has at least 8 characters"),
        (&[("BOUGH_PASSWORD_FILE", &*long)], "BOUGH_PASSWORD_FILE: a password has at most 1024 bytes"),
        (&[("BOUGH_PASSWORD", "")], "BOUGH_PASSWORD: it is empty"),
        (&[("BOUGH_PASSWORD_FILE", "")], "BOUGH_PASSWORD_FILE: it is empty"),
        (&[("BOUGH_PASSWORD", "correct horse\n")], "BOUGH_PASSWORD: a password is one line"),
        (&[("BOUGH_PASSWORD_FILE", &*none)], "none cannot be read"),
        (&[("BOUGH_PASSWORD_FILE", &*broken)], "broken cannot be read"),
        (
            &[("BOUGH_PASSWORD", "correct horse"), ("BOUGH_PASSWORD_FILE", &*good)],
            "BOUGH_PASSWORD gives a password too",
        ),
    ] {
        let said = given(variables).unwrap_err().to_string();
        assert!(said.contains(expected) && !said.contains("horse"), "{said}");
    }
}

#[test]
fn blocks_take_in_the_prompt_and_assistant_has_a_memory() {
    let cases: [(&str, Option<&[&str]>); 8] = [
        ("", Some(&["soul", "memory"])),
        ("[agents.assistant]\nsystem_prompt = ''", Some(&["memory"])),
        ("[agents.assistant]\nblocks = {}", Some(&[])),
        ("[agents.other]", Some(&[])),
        ("[agents.other]\nblocks.plan = {}", Some(&["plan"])),
        ("[agents.other]\nsystem_prompt = 'Hm.'\nblocks.plan = {}", Some(&["soul", "plan"])),
        ("[agents.other]\nblocks.' x' = {}", None),
        ("[agents.other]\nblocks = { a = {}, A = {} }", None),
    ];
    for (file, expected) in cases {
        let config = load(&Given { file: Some(file), ..Given::default() });
        let context = config.ok().map(|config| format!("{:?}", config.agents[0].context().unwrap()));
        let labels: Option<Vec<String>> = context.map(|text| {
            text.split("label: \"")
                .skip(1)
                .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
                .collect()
        });
        let expected = expected.map(|labels| labels.iter().map(|label| (*label).to_owned()).collect());
        assert_eq!(labels, expected, "{file}");
    }
}

#[test]
fn agents_are_read_by_name() {
    let file = "
        [agents.helper]
        model = 'ollama/qwen3:8b'
        system_prompt = 'Be brief.'
        max_steps = 3
        concurrency = 'merge'
        recovery = false
        stall_timeout_ms = 0
        blocks.soul = { description = 'Who you are', initial = 'A tree.', readonly = true, max_tokens = 100 }
        tools = ['demo', 'clock', 'calculate']
        mcp_servers = [{ name = 'files', command = ['files-server'], approve = ['write'] }]
    ";
    let config = load(&Given { file: Some(file), ..Given::default() }).unwrap();
    let soul = BlockConfig {
        description: Some("Who you are".to_owned()),
        initial: Some("A tree.".to_owned()),
        readonly: true,
        max_tokens: Some(100),
    };
    let expected = AgentConfig {
        name: "helper".to_owned(),
        model: Some("ollama/qwen3:8b".to_owned()),
        system_prompt: "Be brief.".to_owned(),
        max_steps: 3,
        overlap: OverlapConfig { concurrency: Some(Concurrency::Merge), debounce_ms: None },
        mishaps: MishapConfig { recovery: Some(false), stall_timeout_ms: Some(0) },
        memory: MemoryConfig {
            blocks: Some(BTreeMap::from([("soul".to_owned(), soul)])),
            skills: Vec::new(),
        },
        tools: Some(["demo", "clock", "calculate"].map(str::to_owned).to_vec()),
        mcp_servers: vec![McpConfig {
            name: "files".to_owned(),
            url: None,
            command: Some(vec!["files-server".to_owned()]),
            headers: BTreeMap::new(),
            secrets: Vec::new(),
            approve: vec!["write".to_owned()],
        }],
        ..AgentConfig::default()
    };
    assert_eq!(config.agents, [expected]);
}

#[test]
fn folders_of_skills_stand_beside_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    std::fs::create_dir(folder.path().join("recipes")).unwrap();
    let skills = |path: &str| format!("[agents.a]\nskills = ['{path}']");
    let file = skills(&format!("{place}/recipes"));
    let config = load(&Given { file: Some(&file), ..Given::default() }).unwrap();
    assert_eq!(config.agents[0].memory.skills, [folder.path().join("recipes")]);
    assert!(!config.agents[0].context().unwrap().is_empty());
    let wrong = |file: &str| complaint(&Given { file: Some(file), ..Given::default() });
    let nowhere = wrong(&skills("nowhere"));
    assert!(nowhere.ends_with("/nowhere is no folder"), "{nowhere}");
    let twice = format!("[agents.a]\nskills = ['{place}/recipes', '{place}/recipes']");
    assert_eq!(wrong(&twice), "bough.toml: agents.a.skills: Block \"recipes\" already exists");
}

#[test]
fn what_is_in_force_for_an_agent_can_be_read_again() {
    let file = "
        [agents.helper]
        tools = ['demo']
        compact_after = 4000
        concurrency = 'latest'
        blocks.soul = { initial = 'A tree.', readonly = true }
        mcp_servers = [{ name = 'files', command = ['files-server'] }]
        schedules.news = { schedule = 'every day at 08:00 in Europe/Oslo', prompt = 'What is new?' }
    ";
    let config = load(&Given { file: Some(file), ..Given::default() }).unwrap();
    let report: Table = config.report().parse().unwrap();
    let agents =
        toml::to_string(&Table::from_iter([("agents".to_owned(), report["agents"].clone())])).unwrap();
    let again = load(&Given { file: Some(&agents), ..Given::default() }).unwrap();
    assert_eq!(again.agents, config.agents);
}

#[test]
fn what_is_wrong_with_an_agent_is_told() {
    let check = |file: &str, expected: &str| {
        let text = complaint(&Given { file: Some(file), ..Given::default() });
        assert!(text.starts_with(expected), "{text}\nshould begin with\n{expected}");
    };
    let unknown = "bough.toml: agents.a: there is no setting";
    check("[agents.a]\nsystem_promt = ''", &format!("{unknown} system_promt; did you mean system_prompt?"));
    check(
        "[agents.a]\nblocks.x = { readnly = true }",
        "bough.toml: agents.a.blocks.x: there is no setting readnly",
    );
    check(
        "[agents.a]\nmcp_servers = [{ nam = 'x' }]",
        "bough.toml: agents.a.mcp_servers: there is no setting nam",
    );
    check(
        "[agents.a]\nmcp_servers = [{ name = 'x' }]",
        "bough.toml: agents.a.mcp_servers: \"x\" needs a url or",
    );
    for (server, problem) in [
        ("name = 'a b', url = 'http://x'", "\"a b\" is not a name of 1 to 64 letters, digits, - and _"),
        ("name = 'x', url = 'file:///x'", "\"x\" has a url that is not one of http or https"),
        ("name = 'x', command = []", "\"x\" has an empty command"),
        ("name = 'x', url = 'http://x' }, { name = 'x', url = 'http://y'", "\"x\" is there twice"),
    ] {
        let file = format!("[agents.a]\nmcp_servers = [{{ {server} }}]");
        check(&file, &format!("bough.toml: agents.a.mcp_servers: {problem}"));
    }
    for (file, problem) in [
        ("[agents.a]\nagents = ['b']", "there is no setting b"),
        ("[agents.a]\nagents = ['a']", "\"a\" would call itself"),
        ("[agents.a]\nagents = ['b']\n[agents.b]\nagents = ['a']", "\"a\" would call itself"),
    ] {
        check(file, &format!("bough.toml: agents.a.agents: {problem}"));
    }
    check(
        "[agents.a]\ntools = ['dem']",
        "bough.toml: agents.a.tools: there is no setting dem; did you mean demo?",
    );
    check("[agents.a]\nmax_steps = 0", "bough.toml: agents.a.max_steps: 0 is not a number from 1 to 1000");
    check("[agents.a]\nconcurrency = 'all'", "bough.toml: agents.a: unknown variant `all`");
    check("[agents.'a/b']\nmax_steps = 1", "bough.toml: agents.a/b: an agent's name has 1 to 64 letters");
    check("agents = 3", "agents in bough.toml: must be a table, not a integer");
}

#[test]
fn a_named_file_may_say_where_the_data_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my.toml");
    std::fs::write(&file, "data = '/srv/bough'").unwrap();
    let arguments = ["bough", "--config", file.to_str().unwrap(), "check"];
    let (command, invocation) = cli::invocation(arguments, Environment::default()).unwrap();
    assert_eq!(command, Command::Check);
    assert_eq!(Config::load(invocation).unwrap().data.folder, PathBuf::from("/srv/bough"));
}

#[test]
fn a_named_file_that_is_missing_is_an_error() {
    let arguments = ["bough", "--config", "/no/such/file.toml"];
    let (_, invocation) = cli::invocation(arguments, Environment::default()).unwrap();
    let text = Config::load(invocation).expect_err("must be refused").to_string();
    assert!(text.starts_with("the configuration file /no/such/file.toml cannot be read"), "{text}");
}

#[test]
fn every_setting_is_in_the_help() {
    let help =
        cli::invocation(["bough", "--help"], Environment::default()).expect_err("help ends it").to_string();
    for setting in SETTINGS {
        assert!(help.contains(&setting.flag()) && help.contains(&setting.variable()), "{}", setting.key);
    }
}

#[test]
fn providers_are_read_by_name_and_known_ones_need_only_what_differs() {
    let file = "
        [providers.ollama]
        base_url = 'http://192.0.2.1:11434/v1/'
        context_window = 32768
        [providers.lab]
        base_url = 'http://127.0.0.1:9/v1'
        api = 'openai-chat'
        api_key_variable = 'LAB_KEY'
        think_tags = 'text'
        models = ['m']
        [providers.anthropic]
        api_key = 'very secret'
    ";
    let config =
        load(&Given { file: Some(file), variables: &[("LAB_KEY", "hidden")], ..Given::default() }).unwrap();
    let vendor = |name: &str| ProviderConfig::of(::providers::vendor(name).unwrap(), None);
    let expected = [
        ProviderConfig { api_key: Secret::new("very secret"), ..vendor("anthropic") },
        ProviderConfig {
            think_tags: ThinkTags::Text,
            models: vec!["m".to_owned()],
            ..ProviderConfig::custom("lab", "http://127.0.0.1:9/v1", Secret::new("hidden"))
        },
        ProviderConfig {
            base_url: "http://192.0.2.1:11434/v1".to_owned(),
            context_window: Some(32_768),
            ..vendor("ollama")
        },
    ];
    let mut found = config.models.providers.clone();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(found, expected);
    let report = config.report();
    assert!(report.contains("[providers.lab]") && !report.contains("secret") && !report.contains("hidden"));
    for (file, problem) in [
        ("[providers.x]", "bough.toml: providers.x.base_url: it must begin with http:// or https://"),
        (
            "[providers.x]\nbase_ur = ''",
            "bough.toml: providers.x: there is no setting base_ur; did you mean base_url?",
        ),
        ("[providers.x]\napi = 'soap'", "bough.toml: providers.x: unknown variant `soap`"),
    ] {
        let text = complaint(&Given { file: Some(file), ..Given::default() });
        assert!(text.starts_with(problem), "{text}");
    }
}

#[test]
fn headers_of_tool_servers_are_filled_in_from_variables_and_shown_to_nobody() {
    let file = |headers: &str| {
        format!("[agents.a]\nmcp_servers = [{{ name = 'x', url = 'http://x', headers = {{ {headers} }} }}]")
    };
    let variables = &[("TOKEN", "very secret")];
    let text = file("Authorization = 'Bearer ${TOKEN}!'");
    let config = load(&Given { file: Some(&text), variables, ..Given::default() }).unwrap();
    let secrets = &config.agents[0].mcp_servers[0].secrets;
    assert_eq!(secrets, &[("Authorization".to_owned(), Secret::new("Bearer very secret!").unwrap())]);
    assert!(!format!("{}{config:?}", config.report()).contains("very secret"));
    for (headers, problem) in [
        ("X = '${NOWHERE}'", "\"x\" has a header X with the variable NOWHERE, which is not set"),
        ("X = '${TOKEN'", "\"x\" has a header X with a variable that does not end"),
        ("X = ' '", "\"x\" has an empty header X"),
    ] {
        let text = file(headers);
        let told = complaint(&Given { file: Some(&text), variables, ..Given::default() });
        assert!(told.starts_with(&format!("bough.toml: agents.a.mcp_servers: {problem}")), "{told}");
    }
}

#[test]
fn schedules_are_read_and_checked() {
    let file = "[agents.a.schedules.report]\nschedule = 'every day at 08:00'\ntimezone = 'Europe/Oslo'\nprompt = 'Report.'";
    let config = load(&Given { file: Some(file), ..Given::default() }).unwrap();
    let expected = ScheduleConfig {
        schedule: "every day at 08:00".to_owned(),
        prompt: "Report.".to_owned(),
        timezone: Some("Europe/Oslo".to_owned()),
        session: None,
    };
    assert_eq!(config.agents[0].schedules, BTreeMap::from([("report".to_owned(), expected)]));
    for (file, problem) in [
        (
            "[agents.a.schedules.r]\nschedule = 'daily'\nprompt = ''",
            "bough.toml: agents.a.schedules.r: \"daily\" is no schedule",
        ),
        (
            "[agents.a.schedules.r]\nschedul = ''",
            "bough.toml: agents.a.schedules.r: there is no setting schedul; did you mean schedule?",
        ),
        ("[agents.a.schedules.r]\nschedule = 'every 1 hour'", "bough.toml: agents.a: missing field `prompt`"),
    ] {
        let told = complaint(&Given { file: Some(file), ..Given::default() });
        assert!(told.starts_with(problem), "{told}");
    }
}
