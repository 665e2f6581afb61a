-- Owner: session. Full-text search over everything that was said and done, in all sessions and on all branches.
--
-- Why it looks like this:
-- * The index holds no text (`content=''`), only where words stand: what is found is read from the message itself.
-- * Its rows are named by `assistant_search.doc`, because row numbers of a table without a key of its own change in
--   backups. The higher the number, the newer the message.
-- * Words are cut, folded and stemmed before they come here, so that exact words, beginnings of words, stems and single
--   signs of scripts without spaces are found in one index; `ascii` takes them as they are.
-- * `tags` name session, role and "any message", so that the index itself narrows a search down. No word begins like a
--   tag (U+E001). Sessions have a number for that, because the id of the default session changes on its way to the
--   trash.
-- * `digest` is that of the indexed text; none means that the message still waits for being indexed, as all messages
--   of an older file do.
-- * Where a message is the only one of its depth, it stands on every path that goes so deep: with the index of depths,
--   a hit knows without a walk whether it is on the active path.
-- * The trash, and the sessions made from another one, are lists of their own.
-- * A message that goes, on whatever way, takes its row here and its words with it.

ALTER TABLE assistant_sessions ADD COLUMN search_key INTEGER NOT NULL DEFAULT 0;
UPDATE assistant_sessions SET search_key = updated_seq;
CREATE UNIQUE INDEX assistant_sessions_search ON assistant_sessions (search_key);

CREATE INDEX assistant_sessions_trash ON assistant_sessions (deleted_at DESC, updated_seq DESC)
    WHERE deleted_at IS NOT NULL;
CREATE INDEX assistant_sessions_children ON assistant_sessions (parent_session_id, updated_at DESC, updated_seq DESC)
    WHERE parent_session_id IS NOT NULL;

CREATE INDEX assistant_messages_depth ON assistant_messages (session_id, depth);

CREATE TABLE assistant_search (
    doc        INTEGER PRIMARY KEY,
    session_id TEXT    NOT NULL,
    message_id TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    digest     INTEGER,
    FOREIGN KEY (session_id, message_id) REFERENCES assistant_messages (session_id, id)
        ON UPDATE CASCADE ON DELETE CASCADE
) STRICT;

CREATE UNIQUE INDEX assistant_search_message ON assistant_search (session_id, message_id);
CREATE INDEX assistant_search_time ON assistant_search (created_at, doc);
CREATE INDEX assistant_search_waiting ON assistant_search (doc) WHERE digest IS NULL;

CREATE VIRTUAL TABLE assistant_fts USING fts5 (
    said, said_stems, used, used_stems, tags,
    content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '3 4'
);

CREATE TRIGGER assistant_search_forgotten AFTER DELETE ON assistant_search BEGIN
    DELETE FROM assistant_fts WHERE rowid = old.doc;
END;

INSERT INTO assistant_search (session_id, message_id, created_at)
SELECT session_id, id, created_at FROM assistant_messages ORDER BY created_at, session_id, seq;
