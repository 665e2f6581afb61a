-- Owner: session. Context blocks are what the agent remembers: named texts that stand in the system prompt, their older
-- versions, searchable entries, and the prompt as it was frozen.
--
-- Why it looks like this:
-- * A block belongs to a session, or (`session_id` NULL) to all sessions of the agent. The two are typed columns, not
--   one glued text, so no label and no session id can ever name another block's row.
-- * NULLs differ from each other in a unique index; the second index keeps the agent's own rows unique.
-- * Every version is kept, the current one too, so that a diff and an undo need nothing else. Versions of an entry are
--   named by its key, because its text may lie with a provider outside this file.
-- * Entries are indexed by row number, so that replacing one never scans the index.
-- * A frozen prompt can be made again at any time, so it is forgotten when its session changes its id.

CREATE TABLE cf_agents_context_blocks (
    id         INTEGER PRIMARY KEY,
    session_id TEXT    REFERENCES assistant_sessions (id) ON UPDATE CASCADE ON DELETE CASCADE,
    label      TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,        -- ms since 1970, like every time here
    content    TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX cf_agents_context_blocks_key ON cf_agents_context_blocks (session_id, label);
CREATE UNIQUE INDEX cf_agents_context_blocks_agent ON cf_agents_context_blocks (label) WHERE session_id IS NULL;

CREATE TABLE cf_agents_block_versions (
    id         INTEGER PRIMARY KEY,
    block_id   INTEGER NOT NULL REFERENCES cf_agents_context_blocks (id) ON DELETE CASCADE,
    version    INTEGER NOT NULL,
    author     TEXT    NOT NULL,        -- JSON
    written_at INTEGER NOT NULL,
    content    TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX cf_agents_block_versions_key ON cf_agents_block_versions (block_id, version);

-- What was added to the configured blocks while the agent ran, and what was taken away from them; oldest first.
CREATE TABLE cf_agents_block_changes (
    id          INTEGER PRIMARY KEY,
    session_id  TEXT    REFERENCES assistant_sessions (id) ON UPDATE CASCADE ON DELETE CASCADE,
    label       TEXT    NOT NULL,
    is_removed  INTEGER NOT NULL CHECK (is_removed IN (0, 1)),
    description TEXT,
    max_tokens  INTEGER
) STRICT;

CREATE UNIQUE INDEX cf_agents_block_changes_key ON cf_agents_block_changes (session_id, label);
CREATE UNIQUE INDEX cf_agents_block_changes_agent ON cf_agents_block_changes (label) WHERE session_id IS NULL;

CREATE TABLE cf_agents_search_entries (
    id         INTEGER PRIMARY KEY,
    session_id TEXT    REFERENCES assistant_sessions (id) ON UPDATE CASCADE ON DELETE CASCADE,
    label      TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    content    TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX cf_agents_search_entries_key ON cf_agents_search_entries (session_id, label, key);
CREATE UNIQUE INDEX cf_agents_search_entries_agent ON cf_agents_search_entries (label, key) WHERE session_id IS NULL;

CREATE TABLE cf_agents_entry_versions (
    id         INTEGER PRIMARY KEY,
    session_id TEXT    REFERENCES assistant_sessions (id) ON UPDATE CASCADE ON DELETE CASCADE,
    label      TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    author     TEXT    NOT NULL,        -- JSON
    written_at INTEGER NOT NULL,
    content    TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX cf_agents_entry_versions_key ON cf_agents_entry_versions (session_id, label, key, version);
CREATE UNIQUE INDEX cf_agents_entry_versions_agent ON cf_agents_entry_versions (label, key, version)
    WHERE session_id IS NULL;

CREATE VIRTUAL TABLE cf_agents_search_fts USING fts5 (
    content, content = 'cf_agents_search_entries', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER cf_agents_search_entries_added AFTER INSERT ON cf_agents_search_entries BEGIN
    INSERT INTO cf_agents_search_fts (rowid, content) VALUES (new.id, new.content);
END;

CREATE TRIGGER cf_agents_search_entries_changed AFTER UPDATE OF content ON cf_agents_search_entries BEGIN
    INSERT INTO cf_agents_search_fts (cf_agents_search_fts, rowid, content) VALUES ('delete', old.id, old.content);
    INSERT INTO cf_agents_search_fts (rowid, content) VALUES (new.id, new.content);
END;

CREATE TRIGGER cf_agents_search_entries_removed AFTER DELETE ON cf_agents_search_entries BEGIN
    INSERT INTO cf_agents_search_fts (cf_agents_search_fts, rowid, content) VALUES ('delete', old.id, old.content);
END;

CREATE TABLE cf_agents_frozen_prompts (
    session_id  TEXT    NOT NULL PRIMARY KEY,
    config_hash TEXT    NOT NULL,       -- of the configured blocks it was rendered from
    frozen_at   INTEGER NOT NULL,
    sections    TEXT    NOT NULL        -- JSON: a list of {label, text}
) STRICT;

CREATE TRIGGER cf_agents_frozen_prompts_moved AFTER UPDATE OF id ON assistant_sessions BEGIN
    DELETE FROM cf_agents_frozen_prompts WHERE session_id IN (old.id, new.id);
END;

CREATE TRIGGER cf_agents_frozen_prompts_removed AFTER DELETE ON assistant_sessions BEGIN
    DELETE FROM cf_agents_frozen_prompts WHERE session_id = old.id;
END;
