//! The bough binary: reads the configuration, then checks it or serves until it is stopped.

use server::cli::{self, Command};
use server::config::Config;
use server::{Application, shutdown::Signals, telemetry};
use std::fmt::Display;
use std::process::ExitCode;

const FAILED: u8 = 1;
const BAD_CONFIGURATION: u8 = 2;

#[tokio::main]
async fn main() -> ExitCode {
    let loaded = cli::invocation_of_process().and_then(|(command, from)| Ok((command, Config::load(from)?)));
    match loaded {
        Err(error) => fail(BAD_CONFIGURATION, &error),
        Ok((Command::Check, config)) => {
            cli::print(&config.report()).map_or_else(|error| fail(FAILED, &error), |()| ExitCode::SUCCESS)
        }
        Ok((Command::Serve, config)) => serve(config).await.unwrap_or_else(|error| fail(FAILED, &error)),
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

fn fail(code: u8, error: &impl Display) -> ExitCode {
    eprintln!("bough: {error}");
    ExitCode::from(code)
}
