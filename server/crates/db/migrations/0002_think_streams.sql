-- Owner: think. Chunks of a turn are stored before they are sent, so that any tab can resume and a killed server loses
-- nothing that was shown; `think_config` holds the engine's private settings.
--
-- Why it looks like this:
-- * A chunk's `id` is the row's own number: the pair (stream, index) already names it, and appending stays cheap.
-- * `session_id`, `parent_id`, `model` and `started_at` let a restarted server finish an interrupted turn where it
--   belongs without asking anything else.

CREATE TABLE think_config (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL                 -- JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE cf_ai_chat_stream_metadata (
    id              TEXT    NOT NULL PRIMARY KEY,
    request_id      TEXT    NOT NULL,
    status          TEXT    NOT NULL CHECK (status IN ('streaming', 'completed', 'error')),
    created_at      INTEGER NOT NULL,   -- ms since 1970, like every time here
    completed_at    INTEGER,
    message_id      TEXT,
    is_continuation INTEGER CHECK (is_continuation IN (0, 1)),
    session_id      TEXT    NOT NULL DEFAULT '',
    parent_id       TEXT,
    model           TEXT,
    started_at      INTEGER
) STRICT;

CREATE INDEX cf_ai_chat_stream_metadata_session ON cf_ai_chat_stream_metadata (session_id, created_at);
CREATE INDEX cf_ai_chat_stream_metadata_request ON cf_ai_chat_stream_metadata (request_id);
CREATE INDEX cf_ai_chat_stream_metadata_status ON cf_ai_chat_stream_metadata (status, created_at);

CREATE TABLE cf_ai_chat_stream_chunks (
    id          INTEGER PRIMARY KEY,
    stream_id   TEXT    NOT NULL,
    body        TEXT    NOT NULL,
    chunk_index INTEGER NOT NULL,       -- number of the row in its stream
    first_seq   INTEGER NOT NULL DEFAULT 0, -- number of its first chunk in the stream
    created_at  INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX cf_ai_chat_stream_chunks_order ON cf_ai_chat_stream_chunks (stream_id, chunk_index);
