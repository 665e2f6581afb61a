-- Owner: session. The name of a session as it is searched for: its letters without case.
--
-- Why it looks like this:
-- * SQLite knows the case of a to z only, so the program folds names. Other names of an older file are folded while nobody
--   waits; until then they have none here and are read one by one, as all of them were before.

ALTER TABLE assistant_sessions ADD COLUMN name_key TEXT;

UPDATE assistant_sessions SET name_key = lower(name) WHERE name NOT GLOB '*[^ -~]*';

CREATE INDEX assistant_sessions_named ON assistant_sessions (name_key) WHERE deleted_at IS NULL;
