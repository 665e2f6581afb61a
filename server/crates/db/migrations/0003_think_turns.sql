-- Owner: think.
-- Why: a turn is a promise. It is written down when it is accepted, with the row its answer will fill and the leaf that
-- was active before, and crossed out when it ends. Whatever a crash leaves here is found and finished at the next start.
CREATE TABLE think_turns (
    session_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    parent_id TEXT,
    previous_leaf TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('answer', 'continuation')),
    accepted_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, request_id)
) WITHOUT ROWID;
