//! The binary as a process of its own.

use super::provider::Provider;
use super::test_app::provider_variables;
use super::within;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};

/// A running server; killed when dropped.
pub(crate) struct Bough {
    pub(crate) address: SocketAddr,
    child: Child,
    log: Lines<BufReader<ChildStderr>>,
}

/// The binary with its environment emptied but for these variables.
fn command(data: &Path, variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bough"));
    let _set = command.env_clear().env("BOUGH_ADDR", "127.0.0.1:0").env("BOUGH_DATA", data);
    let _set = command.envs(variables.iter().copied());
    let _set = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

impl Bough {
    /// Starts it and waits until it listens.
    pub(crate) async fn start(data: &Path, provider: &Provider) -> Self {
        let mut child = command(data, &provider_variables(provider)).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = loop {
            let line = within("the server to listen", log.next_line()).await.unwrap().expect("it ended");
            if let Some((_, url)) = line.split_once("listening at http://") {
                break url.trim_end_matches('/').parse().unwrap();
            }
        };
        Self { address, child, log }
    }

    /// Runs it where it cannot start; its exit code and everything it said.
    pub(crate) async fn refused(data: &Path, variables: &[(&str, &str)]) -> (i32, String) {
        Self::run(data, variables, &[]).await
    }

    /// Runs it to its end.
    pub(crate) async fn run(data: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> (i32, String) {
        let output = command(data, variables).args(arguments).output();
        let output = within("the process to end", output).await.unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap_or(-1), String::from_utf8(said).unwrap())
    }

    /// Runs it to its end on a standard input with this.
    pub(crate) async fn fed(data: &Path, arguments: &[&str], input: &[u8]) -> (i32, String) {
        let mut child = command(data, &[]).args(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        within("the process to be fed", stdin.write_all(input)).await.unwrap();
        drop(stdin);
        let output = within("the process to end", child.wait_with_output()).await.unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap_or(-1), String::from_utf8(said).unwrap())
    }

    /// Kills it as a power cut would.
    pub(crate) async fn kill9(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Sends a signal by name.
    pub(crate) async fn signal(&self, name: &str) {
        let id = self.child.id().expect("it runs").to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &id]).status();
        assert!(within("kill", status).await.unwrap().success());
    }

    /// Waits for its end; its exit code and what it had left to say.
    pub(crate) async fn ended(mut self) -> (Option<i32>, String) {
        let status = within("the process to end", self.child.wait()).await.unwrap();
        let mut said = String::new();
        while let Some(line) = self.log.next_line().await.unwrap() {
            said = said + &line + "\n";
        }
        (status.code(), said)
    }
}
