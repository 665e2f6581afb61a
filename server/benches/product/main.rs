//! The whole product against one scripted model server, as its users meet it: `cargo bench -p server`.
//!
//! Each row starts a server process of its own on an empty or prepared data folder, talks to it over real sockets on
//! loopback, and prints one line. Server, model server and clients share the machine's cores, as they did when the
//! aims were set. These are measurements, not tests: nothing fails when a number is bad.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark stops at once where it cannot go on, prints, and reads the real clock"
)]

mod process;
mod provider;
mod report;
mod scenes;
mod tab;

use provider::Provider;
use report::Report;

fn main() {
    // `cargo bench -- first` runs the rows whose name holds the word; flags of the harness are not for us.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let provider = Provider::start().await;
        let mut report = Report::new(wanted);
        scenes::all(&provider, &mut report).await;
    });
}
