-- Owner: think. Turns that were handed in to be run, and tasks that hand them in at certain times.
--
-- Why it looks like this:
-- * A submission is written down before anybody is told that it was accepted; its messages are stored when its slot
--   comes, so one that is cancelled before leaves no trace in the conversation.
-- * Keys are unique: handing in twice is handing in once. Rows without a key never meet.
-- * `next_run_at` is moved in the statement that follows the submission, whose key holds the time: a crash between the
--   two hands in the same submission again, which is the first one.

CREATE TABLE cf_think_submissions (
    submission_id       TEXT NOT NULL PRIMARY KEY,
    session_id          TEXT NOT NULL DEFAULT '',
    idempotency_key     TEXT UNIQUE,
    request_id          TEXT NOT NULL,
    stream_id           TEXT,
    status              TEXT NOT NULL
                        CHECK (status IN ('pending', 'running', 'completed', 'aborted', 'skipped', 'error')),
    messages_json       TEXT NOT NULL,
    metadata_json       TEXT,
    error_message       TEXT,
    created_at          INTEGER NOT NULL,
    messages_applied_at INTEGER,
    started_at          INTEGER,
    completed_at        INTEGER
) WITHOUT ROWID;

CREATE INDEX cf_think_submissions_by_status ON cf_think_submissions (status, created_at, submission_id);
CREATE INDEX cf_think_submissions_by_time ON cf_think_submissions (created_at, submission_id);

CREATE TABLE cf_think_scheduled_tasks (
    owner_key     TEXT NOT NULL,
    task_id       TEXT NOT NULL,
    schedule_hash TEXT NOT NULL,
    task_hash     TEXT NOT NULL,
    schedule_id   TEXT NOT NULL,
    next_run_at   INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    PRIMARY KEY (owner_key, task_id)
) WITHOUT ROWID;
