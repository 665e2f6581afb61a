//! The command line: two commands, and one flag for every setting, made from the table of settings.

use crate::config::{ConfigError, Environment, Invocation, SETTINGS, Setting};
use clap::{Arg, ArgMatches, Command as Clap};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// What the program is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Serve until stopped; the default.
    Serve,
    /// Check the configuration and print it.
    Check,
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
        Some((_, matches)) => (Command::Serve, matches),
        None => (Command::Serve, matches),
    };
    let value = |setting: &Setting| matches.get_one::<String>(setting.key).cloned();
    let flags = SETTINGS.iter().filter_map(|setting| Some((setting.key.to_owned(), value(setting)?)));
    (command, Invocation { flags: flags.collect(), environment, executable })
}
