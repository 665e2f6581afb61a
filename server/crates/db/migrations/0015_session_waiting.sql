-- Owner: session. Whom a message waits for stands beside it, so that the list of sessions never reads what was said.
--
-- Why it looks like this:
-- * It stands with the weights: one row a message, read by its key, and written whenever the message is.
-- * Only a tool's part of a model's message waits: `approval` for a person, `tool` for a program outside. Where one
--   message waits for both it is `approval`, because a person must be told.
-- * A message that is no JSON, or holds parts that are no objects, waits for nobody.

ALTER TABLE assistant_weights ADD COLUMN waits TEXT CHECK (waits IN ('approval', 'tool'));
ALTER TABLE assistant_trashed_messages ADD COLUMN waits TEXT;

WITH part (session_id, id, value) AS (
    SELECT m.session_id, m.id, iif(part.type = 'object', part.value, '{}') FROM assistant_messages AS m,
        json_each(iif(json_valid(m.content), m.content, '{}'), '$.parts') AS part
    WHERE m.role = 'assistant'
    AND (instr(m.content, '"approval-requested"') > 0 OR instr(m.content, '"input-available"') > 0)
), found (session_id, id, waits) AS (
    SELECT session_id, id, min(iif(value ->> 'state' = 'approval-requested', 'approval', 'tool')) FROM part
    WHERE value ->> 'state' IN ('approval-requested', 'input-available')
    AND (value ->> 'type' GLOB 'tool-*' OR value ->> 'type' = 'dynamic-tool') GROUP BY session_id, id
)
UPDATE assistant_weights SET waits = found.waits FROM found
WHERE assistant_weights.session_id = found.session_id AND assistant_weights.message_id = found.id;

WITH part (session_id, id, value) AS (
    SELECT m.session_id, m.id, iif(part.type = 'object', part.value, '{}') FROM assistant_trashed_messages AS m,
        json_each(iif(json_valid(m.content), m.content, '{}'), '$.parts') AS part
    WHERE m.role = 'assistant'
    AND (instr(m.content, '"approval-requested"') > 0 OR instr(m.content, '"input-available"') > 0)
), found (session_id, id, waits) AS (
    SELECT session_id, id, min(iif(value ->> 'state' = 'approval-requested', 'approval', 'tool')) FROM part
    WHERE value ->> 'state' IN ('approval-requested', 'input-available')
    AND (value ->> 'type' GLOB 'tool-*' OR value ->> 'type' = 'dynamic-tool') GROUP BY session_id, id
)
UPDATE assistant_trashed_messages SET waits = found.waits FROM found
WHERE assistant_trashed_messages.session_id = found.session_id AND assistant_trashed_messages.id = found.id;
