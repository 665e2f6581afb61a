-- Owner: session. What the doctor takes out of the way is kept here as it was found, so that a repair never throws
-- anything away: bytes that are no message, and rows of sessions that are gone. It refers to nothing, because it must
-- outlive what it was taken from.

CREATE TABLE assistant_quarantine (
    number     INTEGER PRIMARY KEY,
    session_id TEXT    NOT NULL,
    name       TEXT    NOT NULL,        -- of the message or the row
    found_at   INTEGER NOT NULL,        -- ms since 1970, like every time here
    reason     TEXT    NOT NULL,
    content    BLOB    NOT NULL
) STRICT;
