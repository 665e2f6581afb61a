-- Owner: think.
-- Why: a turn that the end of the server interrupted is taken up at the next start, and one whose work ends the server
-- must not be taken up for ever. How often it was is written down before each new try.
ALTER TABLE think_turns ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE think_turns ADD COLUMN fruitless_tries INTEGER NOT NULL DEFAULT 0; -- in a row, without any progress
