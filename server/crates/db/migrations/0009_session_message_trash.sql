-- Owner: session. Messages that were thrown away, and where they were, so that any of them comes back in any order.
--
-- Why it looks like this:
-- * What is thrown away leaves the tree's own table, so that nothing that reads a tree has to know of the trash.
-- * Every message keeps the parent it was stored below, for ever: a trashed one in its row here, one whose parent lies
--   here in `assistant_displaced`. The tree that is seen follows from these: each message hangs below the nearest one
--   above it that is not in the trash. So it does not matter in which order messages go and come back.
-- * Summaries do the same with the ends of their ranges: `assistant_clamped` keeps those that reach into the trash.
-- * A deletion remembers what it did to the choices of branches and to the active leaf: an undo puts them back, unless
--   somebody chose something else since.
-- * `doc` is the row that a message had in the index of words, `tokens` and `pinned_at` what stood beside it.
-- * Words that only purged messages held are forgotten, and their pieces with them.

CREATE TABLE assistant_deletions (
    session_id  TEXT    NOT NULL REFERENCES assistant_sessions (id) ON UPDATE CASCADE ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    head        TEXT    NOT NULL,       -- the message it is named by
    deleted_at  INTEGER NOT NULL,       -- ms since 1970, like every time here
    choices     TEXT    NOT NULL,       -- JSON: [message or null for the session, child before, child afterwards]
    leaf_before TEXT,
    leaf_after  TEXT,
    PRIMARY KEY (session_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE assistant_trashed_messages (
    session_id   TEXT    NOT NULL,
    id           TEXT    NOT NULL,
    deletion     INTEGER NOT NULL,
    parent_id    TEXT,
    seq          INTEGER NOT NULL,
    chosen_child TEXT,
    role         TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    tokens       INTEGER NOT NULL,
    pinned_at    INTEGER,
    doc          INTEGER,
    content      TEXT    NOT NULL,
    PRIMARY KEY (session_id, id),
    FOREIGN KEY (session_id, deletion) REFERENCES assistant_deletions (session_id, number)
        ON UPDATE CASCADE ON DELETE CASCADE
) STRICT;

CREATE INDEX assistant_trashed_messages_deletion ON assistant_trashed_messages (session_id, deletion, seq);
CREATE INDEX assistant_trashed_messages_children ON assistant_trashed_messages (session_id, parent_id);

CREATE TABLE assistant_displaced (
    session_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    parent_id  TEXT NOT NULL,           -- lies in the trash
    PRIMARY KEY (session_id, message_id),
    FOREIGN KEY (session_id, message_id) REFERENCES assistant_messages (session_id, id)
        ON UPDATE CASCADE ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX assistant_displaced_children ON assistant_displaced (session_id, parent_id);

CREATE TABLE assistant_clamped (
    session_id      TEXT    NOT NULL REFERENCES assistant_sessions (id) ON UPDATE CASCADE ON DELETE CASCADE,
    id              TEXT    NOT NULL,
    seq             INTEGER NOT NULL,
    from_message_id TEXT    NOT NULL,
    to_message_id   TEXT    NOT NULL,
    tokens          INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    summary         TEXT    NOT NULL,
    PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER assistant_words_forgotten AFTER DELETE ON assistant_words BEGIN
    INSERT INTO assistant_word_pieces (assistant_word_pieces, rowid, word) VALUES ('delete', old.number, old.word);
END;
