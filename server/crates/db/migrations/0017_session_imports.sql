-- Owner: session. Sessions that are being imported in more than one transaction, so that others can write meanwhile.
--
-- Why it looks like this:
-- * Such a session is marked as deleted until it is whole, so nothing that reads sessions has to know of it; only what
--   reads the trash as well must ask here.
-- * What is still here when an instance is opened was broken off by a crash and is removed.

CREATE TABLE assistant_imports (
    session_id TEXT    NOT NULL PRIMARY KEY
               REFERENCES assistant_sessions (id) ON UPDATE CASCADE ON DELETE CASCADE,
    deleted_at INTEGER                  -- of the session where it comes from
) STRICT, WITHOUT ROWID;
