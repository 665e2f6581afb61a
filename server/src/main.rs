//! The bough binary: reads the configuration, then serves until it is stopped, or does one thing and ends.

use db::{Clock, SystemClock};
use server::auth::configured::Unprotected;
use server::cli::{self, Command, Conversations, Copies};
use server::commands::{CommandError, Report, backup, check, doctor, exchange, password, restore, token};
use server::config::Config;
use server::models::Models;
use server::{Application, StartError, shutdown::Signals, telemetry};
use std::fmt::Display;
use std::process::ExitCode;
use std::sync::Arc;

const FAILED: u8 = 1;
const BAD_CONFIGURATION: u8 = 2;

#[tokio::main]
async fn main() -> ExitCode {
    let loaded = cli::invocation_of_process().and_then(|(command, from)| Ok((command, Config::load(from)?)));
    let (command, config) = match loaded {
        Ok(loaded) => loaded,
        Err(error) => return fail(BAD_CONFIGURATION, &error),
    };
    if let Err(error) = Models::new(&config.models, &(Arc::new(SystemClock) as Arc<dyn Clock>)) {
        return fail(BAD_CONFIGURATION, &error);
    }
    let data = &config.data;
    match command {
        Command::Serve => serve(config).await.unwrap_or_else(|error| fail(code_of(&error), &error)),
        Command::Check => tell(check::check(&config).await),
        Command::Password(change) => tell(password::password(&config, change).await),
        Command::Token(tokens) => tell(token::token(data, &tokens).await),
        Command::Doctor(treatment) => tell(doctor::doctor(data, treatment).await),
        Command::Backup(Copies { path, instance }) => {
            tell(backup::backup(data, &path, instance.as_deref()).await)
        }
        Command::Restore(Copies { path, instance }) => {
            tell(restore::restore(data, &path, instance.as_deref()).await)
        }
        Command::Export(Conversations { path, instance }, shape) => {
            tell(exchange::export(data, &path, &instance, &shape).await)
        }
        Command::Import(Conversations { path, instance }) => {
            tell(exchange::import(data, &path, &instance).await)
        }
    }
}

fn tell(done: Result<Report, CommandError>) -> ExitCode {
    done.map_or_else(|error| fail(FAILED, &error), |report| say(&report))
}

fn say(report: &Report) -> ExitCode {
    match cli::print(&report.text) {
        Err(error) => fail(FAILED, &error),
        Ok(()) if report.is_well => ExitCode::SUCCESS,
        Ok(()) => ExitCode::from(FAILED),
    }
}

async fn serve(config: Config) -> anyhow::Result<ExitCode> {
    telemetry::start(&config.log);
    let signals = Signals::hear()?;
    let base = config.listen.base_path.clone();
    let application = Application::build(config).await?;
    tracing::info!("listening at http://{}{base}/", application.address());
    let stopper = application.stopper();
    tokio::select! {
        outcome = application.run_until_stopped() => outcome.map(|()| ExitCode::SUCCESS).map_err(Into::into),
        () = signals.obey(stopper) => std::process::exit(i32::from(FAILED)),
    }
}

/// An address that must not be listened at is a matter of the configuration.
fn code_of(error: &anyhow::Error) -> u8 {
    match error.downcast_ref() {
        Some(StartError::Unprotected(Unprotected::Exposed(_))) => BAD_CONFIGURATION,
        Some(_) | None => FAILED,
    }
}

fn fail(code: u8, error: &impl Display) -> ExitCode {
    eprintln!("bough: {error}");
    ExitCode::from(code)
}
