-- Owner: think.
-- Why: a turn that is taken up again may also hang. How long it has worked without getting any further counts over all
-- its tries, so it is written down while it passes.
ALTER TABLE think_turns ADD COLUMN fruitless_ms INTEGER NOT NULL DEFAULT 0;
