//! The command line: a few commands, and one flag for every setting, made from the table of settings.

use crate::commands::doctor::Treatment;
use crate::commands::exchange::Shape;
use crate::commands::password::Change;
use crate::commands::token::Tokens;
use crate::config::{ConfigError, Environment, Invocation, SETTINGS, Setting};
use clap::{Arg, ArgAction, ArgMatches, Command as Clap, value_parser};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// What the program is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Serve until stopped; the default.
    Serve,
    /// Check the configuration and print it.
    Check,
    /// Change the password.
    Password(Change),
    /// Look after programs' tokens.
    Token(Tokens),
    /// Examine the databases.
    Doctor(Treatment),
    /// Copy the databases.
    Backup(Copies),
    /// Go back to such copies.
    Restore(Copies),
    /// Write conversations to a file.
    Export(Conversations, Shape),
    /// Add the conversations of a file.
    Import(Conversations),
}

/// Which copies of databases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copies {
    /// The folder of all of them, or the file of one.
    pub path: PathBuf,
    /// `AGENT/INSTANCE`; absent means all.
    pub instance: Option<String>,
}

/// A file of conversations of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversations {
    /// The file.
    pub path: PathBuf,
    /// `AGENT/INSTANCE`.
    pub instance: String,
}

/// Reads the arguments of this process. Help, version and slips of the finger are answered here and end the
/// process, with 2 for the latter.
///
/// # Errors
/// As [`Environment::of_process`].
pub fn invocation_of_process() -> Result<(Command, Invocation), ConfigError> {
    let matches = clap().get_matches();
    let environment = Environment::of_process()?;
    let executable = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("."));
    Ok(read(&matches, environment, executable))
}

/// The same for given arguments; the first is the program's name.
///
/// # Errors
/// Clap's own, with its text for people.
pub fn invocation<I, T>(arguments: I, environment: Environment) -> Result<(Command, Invocation), clap::Error>
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let matches = clap().try_get_matches_from(arguments)?;
    Ok(read(&matches, environment, PathBuf::from(".")))
}

/// Writes a command's result to where pipes and files take it.
///
/// # Errors
/// Nobody takes it.
pub fn print(text: &str) -> std::io::Result<()> {
    std::io::stdout().write_all(text.as_bytes())
}

fn clap() -> Clap {
    Clap::new("bough")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A self-hosted AI chat agent whose conversations are trees")
        .after_help("Settings may also stand in bough.toml, by the names of their variables in lower case without BOUGH_.")
        .args(SETTINGS.iter().map(flag))
        .subcommand(Clap::new("serve").about("Serve the page, the sockets and the API (the default)"))
        .subcommand(Clap::new("check").about("Check the configuration and print it, secrets masked"))
        .subcommand(Clap::new("password").about("Set the password that people sign in with").arg(
            Arg::new("remove").long("remove").action(ArgAction::SetTrue).help("Let people in without one"),
        ))
        .subcommand(tokens())
        .subcommand(
            Clap::new("doctor")
                .about("Find damage in the databases; needs a stopped server")
                .arg(Arg::new("repair").long("repair").action(ArgAction::SetTrue).help("Mend what can be mended")),
        )
        .subcommand(copying("backup", "Copy the databases into a new folder, or one of them into a new file"))
        .subcommand(exporting())
        .subcommand(moving("import", "Add the conversations of a file; needs a stopped server"))
        .subcommand(copying("restore", "Go back to a backup; what stood there is kept; needs a stopped server"))
}

fn tokens() -> Clap {
    let name = || Arg::new("name").value_name("NAME").required(true).help("What it is called");
    Clap::new("token")
        .about("Look after the tokens that let programs in")
        .subcommand_required(true)
        .subcommand(Clap::new("add").about("Make one and print it, this once").arg(name()))
        .subcommand(Clap::new("list").about("Say which there are"))
        .subcommand(Clap::new("remove").about("Take one back").arg(name()))
}

fn copying(name: &'static str, about: &'static str) -> Clap {
    let path = Arg::new("path").value_name("FOLDER|FILE").required(true);
    let instance = Arg::new("instance").long("instance").value_name("AGENT/INSTANCE");
    let path = path.value_parser(value_parser!(PathBuf)).help("The backup");
    Clap::new(name).about(about).arg(path).arg(instance.help("Only this instance"))
}

fn moving(name: &'static str, about: &'static str) -> Clap {
    let path = Arg::new("path").value_name("FILE").required(true).value_parser(value_parser!(PathBuf));
    let instance = Arg::new("instance").long("instance").value_name("AGENT/INSTANCE");
    let instance = instance.default_value("assistant/default").help("Whose conversations");
    Clap::new(name).about(about).arg(path.help("The file")).arg(instance)
}

fn exporting() -> Clap {
    let session =
        Arg::new("session").long("session").value_name("ID").help("Only this session; ~ is the default one");
    let format = Arg::new("format").long("format").value_parser(["json", "markdown"]).default_value("json");
    moving("export", "Write conversations into a new file; needs a stopped server")
        .arg(session.required_if_eq("format", "markdown"))
        .arg(format.help("JSON holds everything, Markdown is for people"))
}

fn conversations(matches: &ArgMatches) -> Conversations {
    Conversations {
        path: matches.get_one::<PathBuf>("path").cloned().unwrap_or_default(),
        instance: matches.get_one::<String>("instance").cloned().unwrap_or_default(),
    }
}

fn shape(matches: &ArgMatches) -> Shape {
    let session = matches.get_one::<String>("session").map(|id| app::routes::session_of(id));
    let is_markdown = matches.get_one::<String>("format").is_some_and(|format| format == "markdown");
    match session {
        Some(session) if is_markdown => Shape::Markdown(session),
        session => Shape::Json(session),
    }
}

fn copies(matches: &ArgMatches) -> Copies {
    Copies {
        path: matches.get_one::<PathBuf>("path").cloned().unwrap_or_default(),
        instance: matches.get_one::<String>("instance").cloned(),
    }
}

fn treatment(matches: &ArgMatches) -> Treatment {
    if matches.get_flag("repair") { Treatment::Repair } else { Treatment::Look }
}

fn change(matches: &ArgMatches) -> Change {
    if matches.get_flag("remove") { Change::Remove } else { Change::Set }
}

fn tokens_asked(matches: &ArgMatches) -> Tokens {
    let name = |matches: &ArgMatches| matches.get_one::<String>("name").cloned().unwrap_or_default();
    match matches.subcommand() {
        Some(("add", matches)) => Tokens::Add(name(matches)),
        Some(("remove", matches)) => Tokens::Remove(name(matches)),
        Some(_) | None => Tokens::List,
    }
}

fn flag(setting: &Setting) -> Arg {
    Arg::new(setting.key)
        .long(setting.flag())
        .value_name(setting.value_name)
        .help(format!("{} [env: {}]", setting.help, setting.variable()))
        .global(true)
}

fn read(matches: &ArgMatches, environment: Environment, executable: PathBuf) -> (Command, Invocation) {
    let (command, matches) = match matches.subcommand() {
        Some(("check", matches)) => (Command::Check, matches),
        Some(("password", matches)) => (Command::Password(change(matches)), matches),
        Some(("token", matches)) => (Command::Token(tokens_asked(matches)), matches),
        Some(("doctor", matches)) => (Command::Doctor(treatment(matches)), matches),
        Some(("backup", matches)) => (Command::Backup(copies(matches)), matches),
        Some(("restore", matches)) => (Command::Restore(copies(matches)), matches),
        Some(("export", matches)) => (Command::Export(conversations(matches), shape(matches)), matches),
        Some(("import", matches)) => (Command::Import(conversations(matches)), matches),
        Some((_, matches)) => (Command::Serve, matches),
        None => (Command::Serve, matches),
    };
    let value = |setting: &Setting| matches.get_one::<String>(setting.key).cloned();
    let flags = SETTINGS.iter().filter_map(|setting| Some((setting.key.to_owned(), value(setting)?)));
    (command, Invocation { flags: flags.collect(), environment, executable })
}
