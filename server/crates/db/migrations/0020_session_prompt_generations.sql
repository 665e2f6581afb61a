-- Owner: session. How often the prompt of a session was frozen or forgotten.
--
-- Why: a prompt is rendered outside of any transaction, because a block may lie anywhere. Of two refreshes at once, the one
-- that had read first could be stored last, and then an outdated prompt stood until the next refresh.

ALTER TABLE cf_agents_frozen_prompts ADD COLUMN generation INTEGER NOT NULL DEFAULT 1;
