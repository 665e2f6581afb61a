-- Owner: session. Conversations are trees: each message names its parent, so that an edit or a new answer is a sibling
-- and nothing is overwritten.
--
-- Why it looks like this:
-- * Ids are unique within their session only, so the same client id may stand in two sessions.
-- * `seq` orders what was inserted in the same millisecond, and still orders when the clock jumps.
-- * `depth` (roots are 0) makes the length of a path, and the end of a long path, independent of its length.
-- * `chosen_child`/`chosen_root` remember the branch last viewed below each message.
-- * `content` stands last, so that walking a path never reads the pages of large messages.
-- * Changing or deleting a session's id carries its messages with it.

CREATE TABLE assistant_sessions (
    id                TEXT    NOT NULL PRIMARY KEY,
    name              TEXT    NOT NULL,
    parent_session_id TEXT,
    model             TEXT,
    source            TEXT,
    end_reason        TEXT,
    input_tokens      INTEGER NOT NULL DEFAULT 0,
    output_tokens     INTEGER NOT NULL DEFAULT 0,
    estimated_cost    REAL    NOT NULL DEFAULT 0,
    created_at        INTEGER NOT NULL, -- ms since 1970, like every time here
    updated_at        INTEGER NOT NULL,
    updated_seq       INTEGER NOT NULL, -- orders sessions that were touched in the same millisecond
    active_leaf       TEXT,
    chosen_root       TEXT,
    message_count     INTEGER NOT NULL DEFAULT 0,
    last_seq          INTEGER NOT NULL DEFAULT 0,
    pinned_at         INTEGER,
    archived_at       INTEGER,
    deleted_at        INTEGER,          -- set while the session lies in the trash
    trashed_from      TEXT              -- the id it had before it was put there, where that had to change
) STRICT;

CREATE INDEX assistant_sessions_newest ON assistant_sessions (updated_at DESC, updated_seq DESC) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX assistant_sessions_touched ON assistant_sessions (updated_seq);

CREATE TABLE assistant_messages (
    session_id   TEXT    NOT NULL DEFAULT ''
                 REFERENCES assistant_sessions (id) ON UPDATE CASCADE ON DELETE CASCADE,
    id           TEXT    NOT NULL,
    parent_id    TEXT,
    seq          INTEGER NOT NULL,
    depth        INTEGER NOT NULL,
    chosen_child TEXT,
    role         TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    content      TEXT    NOT NULL,      -- the whole message as compact JSON
    PRIMARY KEY (session_id, id)
) STRICT;

CREATE INDEX assistant_messages_children ON assistant_messages (session_id, parent_id, seq, id);
CREATE UNIQUE INDEX assistant_messages_order ON assistant_messages (session_id, seq);

CREATE TABLE assistant_config (
    session_id TEXT NOT NULL,
    key        TEXT NOT NULL,
    value      TEXT NOT NULL,
    PRIMARY KEY (session_id, key)
) STRICT, WITHOUT ROWID;
