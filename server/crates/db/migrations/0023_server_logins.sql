-- Owner: server. Who may be here: the hash of the password, and what stands for having given it.
--
-- Why: a server that other machines can reach needs a login. Neither the password nor a token is stored: a password is kept
-- as its Argon2id hash, a token, which nobody can guess, as its SHA-256. Only `bough.db` ever has rows in these.

CREATE TABLE server_password (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    hash TEXT NOT NULL,
    set_at INTEGER NOT NULL
) STRICT;

CREATE TABLE server_logins (
    id TEXT PRIMARY KEY NOT NULL,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    kind TEXT NOT NULL CHECK (kind IN ('browser', 'program')),
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    -- None: it ends when it is removed.
    expires_at INTEGER
) STRICT;

CREATE UNIQUE INDEX server_logins_by_name ON server_logins (name) WHERE kind = 'program';
