//! The binary as a process of its own, and what the system says about it.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// A running server; killed when dropped.
pub(crate) struct Bough {
    pub(crate) address: SocketAddr,
    child: Child,
}

impl Bough {
    /// Starts it on this data folder and waits until it listens.
    pub(crate) async fn start(data: &Path, provider: SocketAddr) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bough"))
            .env_clear()
            .env("BOUGH_ADDR", "127.0.0.1:0")
            .env("BOUGH_DATA", data)
            .env("BOUGH_MODEL", "openai/scripted")
            .env("BOUGH_OPENAI_BASE_URL", format!("http://{provider}/v1"))
            .env("BOUGH_AUTO_TITLE", "false")
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
        let url = loop {
            let line = log.next_line().await.unwrap().expect("the server ended at once");
            if let Some((_, url)) = line.split_once("listening at http://") {
                break url.trim_end_matches('/').to_owned();
            }
        };
        // The rest of the log is read, so that the pipe never fills.
        let _reads = tokio::spawn(async move { while let Ok(Some(_)) = log.next_line().await {} });
        Self { address: url.parse().unwrap(), child }
    }

    /// Kills it and waits until its data folder is free.
    pub(crate) async fn end(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Memory in use, in megabytes.
    pub(crate) fn memory(&self) -> f64 {
        let status = self.proc("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kb: f64 = line.and_then(|line| line.split_whitespace().next()).unwrap().parse().unwrap();
        kb / 1024.0
    }

    /// Processor time used so far.
    pub(crate) fn cpu(&self) -> Duration {
        let stat = self.proc("stat");
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap();
        // Fields 14 and 15 of proc(5), in ticks of 10 ms.
        Duration::from_millis((ticks(11) + ticks(12)) * 10)
    }

    fn proc(&self, file: &str) -> String {
        let id = self.child.id().unwrap();
        std::fs::read_to_string(format!("/proc/{id}/{file}")).unwrap()
    }

    /// Fetches an address on a connection of its own; how long it took and how many bytes came.
    pub(crate) async fn get(&self, path: &str) -> (Duration, usize) {
        let start = Instant::now();
        let mut socket = TcpStream::connect(self.address).await.unwrap();
        let host = self.address;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut body = Vec::new();
        let length = socket.read_to_end(&mut body).await.unwrap();
        assert!(body.starts_with(b"HTTP/1.1 200"), "{path}: {}", String::from_utf8_lossy(&body));
        (start.elapsed(), length)
    }
}
