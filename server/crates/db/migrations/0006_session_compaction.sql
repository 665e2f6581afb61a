-- Owner: session. Summaries that stand for ranges of messages when a path is read, and what each message weighs, so
-- that the size of a prompt is known without reading the conversation.
--
-- Why it looks like this:
-- * A summary names the first and the last message it stands for; the messages stay as they are.
-- * `seq` orders summaries made in the same millisecond: the one made last stands where several begin together.
-- * `path_tokens` is the sum from the root down to the message, so that the size of any stretch of a path is one
--   subtraction, however long it is.
-- * Weights stand beside the messages, not in them: walking a path must not read them, and reading them must not walk
--   past large contents.
-- * Messages of an older file get a guess of their weight; it is corrected when they change.

CREATE TABLE assistant_compactions (
    session_id      TEXT    NOT NULL DEFAULT ''
                    REFERENCES assistant_sessions (id) ON UPDATE CASCADE ON DELETE CASCADE,
    id              TEXT    NOT NULL,
    seq             INTEGER NOT NULL,
    from_message_id TEXT    NOT NULL,
    to_message_id   TEXT    NOT NULL,
    tokens          INTEGER NOT NULL,   -- of the message that stands for the range
    created_at      INTEGER NOT NULL,
    summary         TEXT    NOT NULL,
    PRIMARY KEY (session_id, id)
) STRICT;

CREATE UNIQUE INDEX assistant_compactions_order ON assistant_compactions (session_id, seq);
CREATE INDEX assistant_compactions_from ON assistant_compactions (session_id, from_message_id);
CREATE INDEX assistant_compactions_to ON assistant_compactions (session_id, to_message_id);

CREATE TABLE assistant_weights (
    session_id  TEXT    NOT NULL,
    message_id  TEXT    NOT NULL,
    tokens      INTEGER NOT NULL,
    path_tokens INTEGER NOT NULL,
    pinned_at   INTEGER,                -- set while no new summary may stand for the message
    PRIMARY KEY (session_id, message_id),
    FOREIGN KEY (session_id, message_id) REFERENCES assistant_messages (session_id, id)
        ON UPDATE CASCADE ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX assistant_weights_pinned ON assistant_weights (session_id, message_id) WHERE pinned_at IS NOT NULL;

INSERT INTO assistant_weights (session_id, message_id, tokens, path_tokens)
SELECT session_id, id, 4 + length(content) / 4, 4 + length(content) / 4 FROM assistant_messages;

WITH RECURSIVE tree (session_id, id, total) AS (
    SELECT m.session_id, m.id, w.tokens FROM assistant_messages AS m
    JOIN assistant_weights AS w ON w.session_id = m.session_id AND w.message_id = m.id WHERE m.parent_id IS NULL
    UNION ALL
    SELECT m.session_id, m.id, tree.total + w.tokens FROM tree
    JOIN assistant_messages AS m ON m.session_id = tree.session_id AND m.parent_id = tree.id
    JOIN assistant_weights AS w ON w.session_id = m.session_id AND w.message_id = m.id
)
UPDATE assistant_weights SET path_tokens = tree.total FROM tree
WHERE assistant_weights.session_id = tree.session_id AND assistant_weights.message_id = tree.id;
