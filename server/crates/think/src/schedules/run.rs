//! Keeps the times: puts the stored ones in step with the definition, waits for the next one, does what is due.

use super::store::ScheduleRow;
use super::{ScheduledTask, ScheduledWork};
use crate::engine::Engine;
use crate::error::ThinkError;
use crate::shared::Shared;
use crate::submissions::NewSubmission;
use protocol::{Message, MessageId, Role};
use std::hash::{DefaultHasher, Hash, Hasher};

/// How often a run is tried.
const TRIES: u32 = 3;

/// Puts the stored times in step with the agent's definition: tasks that are gone are removed, another schedule counts
/// from now, and another prompt keeps its time.
pub(crate) async fn reconcile(shared: &Shared) -> Result<(), ThinkError> {
    let (owner, now) = (shared.instance.as_str(), shared.now());
    let stored = shared.schedules().all(owner).await?;
    for gone in stored.iter().filter(|row| !shared.spec.schedules.contains_key(&row.task_id)) {
        shared.schedules().remove(owner, &gone.task_id).await?;
    }
    for (id, task) in &shared.spec.schedules {
        let schedule_hash = hash(&task.schedule.identity());
        let known = stored.iter().find(|row| row.task_id == *id && row.schedule_hash == schedule_hash);
        let next = known.map_or_else(|| task.schedule.next(now, now).cast_signed(), |row| row.next_run_at);
        let row =
            ScheduleRow { task_id: id.clone(), schedule_hash, task_hash: task_hash(task), next_run_at: next };
        if !stored.contains(&row) {
            shared.schedules().put(owner, &row, now).await?;
        }
    }
    Ok(())
}

/// Does what is due, when it is due, until the instance stops.
pub(crate) async fn keep(engine: Engine) {
    let shared = engine.shared();
    loop {
        let next = match run_due(&engine).await {
            Ok(Some(next)) => next,
            Ok(None) => return,
            Err(error) => {
                tracing::error!(%error, "the schedules cannot be read; they are looked at again in a minute");
                shared.now().saturating_add(60_000)
            }
        };
        tokio::select! {
            () = shared.world.clock.reached(next) => {}
            () = shared.background.stopping.cancelled() => return,
        }
    }
}

/// Runs all tasks that are due, and says when the next one is; none without any task.
async fn run_due(engine: &Engine) -> Result<Option<u64>, ThinkError> {
    let shared = engine.shared();
    let mut earliest: Option<u64> = None;
    for row in shared.schedules().all(&shared.instance).await? {
        let Some(task) = shared.spec.schedules.get(&row.task_id) else { continue };
        let due = row.next_run_at.cast_unsigned();
        let mut next = due;
        if due <= shared.now() {
            next = task.schedule.next(due, shared.now());
            fire(engine, task, (&row, due), next).await?;
        }
        earliest = Some(earliest.map_or(next, |earliest| earliest.min(next)));
    }
    Ok(earliest)
}

/// Runs one task. A prompt is handed in under a key that holds its time, so it may be handed in again; a handler gets
/// its time only after the next one is written down. Whatever goes wrong, there is a next time.
async fn fire(
    engine: &Engine,
    task: &ScheduledTask,
    (row, due): (&ScheduleRow, u64),
    next: u64,
) -> Result<(), ThinkError> {
    let shared = engine.shared();
    let later = ScheduleRow { next_run_at: next.cast_signed(), ..row.clone() };
    match &task.work {
        ScheduledWork::Prompt(prompt) => {
            hand_in(engine, task, (&row.task_id, due), prompt).await;
            shared.schedules().put(&shared.instance, &later, shared.now()).await
        }
        ScheduledWork::Handler(handler) => {
            shared.schedules().put(&shared.instance, &later, shared.now()).await?;
            // The instance rests while this task only waits, but not while it works.
            let _counted = shared.tasks.token();
            for attempt in 1..=TRIES {
                match handler.run(&row.task_id, due).await {
                    Ok(()) => break,
                    Err(error) => {
                        tracing::warn!(task.id = %row.task_id, attempt, %error, "a scheduled task failed");
                    }
                }
            }
            Ok(())
        }
    }
}

async fn hand_in(engine: &Engine, task: &ScheduledTask, (id, due): (&str, u64), prompt: &str) {
    let instance = engine.instance();
    let key = format!("schedule:{instance}:{id}:{due}");
    let message = Message::text(MessageId::new(engine.shared().world.ids.new_id()), Role::User, prompt);
    let new = NewSubmission {
        idempotency_key: Some(key),
        session: task.session.clone(),
        messages: vec![message],
        metadata: Some(serde_json::json!({ "schedule": id, "due": due })),
        id: None,
    };
    for attempt in 1..=TRIES {
        match engine.submit_messages(new.clone()).await {
            Ok(_receipt) => return,
            Err(error) => {
                tracing::warn!(task.id = %id, attempt, %error, "a scheduled prompt was not handed in");
            }
        }
    }
}

fn task_hash(task: &ScheduledTask) -> String {
    let what = match &task.work {
        ScheduledWork::Prompt(prompt) => prompt.as_str(),
        ScheduledWork::Handler(_) => "",
    };
    hash(&format!("{}\n{what}", task.session))
}

/// The same in every run of the program: the standard hasher has fixed keys. Another version of it would only begin
/// the schedules anew.
fn hash(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
