//! `bough doctor`: every database is opened and read, and what is wrong with it named, or mended.

use super::{CommandError, Report, databases, take};
use crate::config::DataConfig;
use db::{Database, SystemClock, UuidSource};
use session::{Finding, Repair, RepairOutcome, SessionManager};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// What to do about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// Name it.
    Look,
    /// Mend it.
    Repair,
}

/// Examines every database of the data folder. One that cannot be opened is a finding, and the others are looked at.
///
/// # Errors
/// No data, a server that runs, or a file that breaks while it is read.
pub async fn doctor(data: &DataConfig, treatment: Treatment) -> Result<Report, CommandError> {
    let _lock = take(data)?;
    let mut report = Report { text: String::new(), is_well: true };
    let files = databases(&data.folder)?;
    for file in &files {
        match Database::open(&data.folder.join(file)).await {
            Ok(database) => {
                let examined = examine(&database, file, treatment, &mut report).await;
                database.close().await?;
                examined?;
            }
            Err(error) => report.say(file, &error.to_string(), Health::Ill),
        }
    }
    let count = files.len();
    let _written = write!(report.text, "{count} {}", if count == 1 { "database" } else { "databases" });
    report.text.push_str(if report.is_well { ", nothing is wrong\n" } else { "; see above\n" });
    Ok(report)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Health {
    Well,
    Ill,
}

impl Report {
    fn say(&mut self, file: &Path, text: &str, health: Health) {
        let _written = writeln!(self.text, "{}: {text}", file.display());
        self.is_well &= health == Health::Well;
    }
}

async fn examine(
    database: &Database,
    file: &Path,
    treatment: Treatment,
    report: &mut Report,
) -> Result<(), CommandError> {
    let sessions = SessionManager::new(database.clone(), Arc::new(SystemClock), Arc::new(UuidSource));
    match treatment {
        Treatment::Look => {
            for finding in sessions.examine().await? {
                report.say(file, &told(&finding), Health::Ill);
            }
        }
        Treatment::Repair => {
            for Repair { finding, outcome } in sessions.repair_all().await? {
                let (how, health) = match outcome {
                    RepairOutcome::Repaired(how) => (format!("mended: {how}"), Health::Well),
                    RepairOutcome::Gone => ("not there any more".to_owned(), Health::Well),
                    RepairOutcome::Beyond(what) => (format!("not mended: {what}"), Health::Ill),
                };
                report.say(file, &format!("{} ({how})", told(&finding)), health);
            }
        }
    }
    Ok(())
}

fn told(finding: &Finding) -> String {
    let mut text = finding.fault.code().to_owned();
    if let Some(session) = &finding.session {
        let _written = write!(text, ", session {:?}", session.as_str());
    }
    if let Some(message) = &finding.message {
        let _written = write!(text, ", message {:?}", message.as_str());
    }
    text + ": " + &finding.detail
}
