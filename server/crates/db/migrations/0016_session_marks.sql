-- Owner: session. Neighbouring words are indexed as marks, because comparing the places of words that stand in almost
-- every message is what made phrases of such words slow to find.
--
-- Why it looks like this:
-- * Marks stand in the column of tags, so the index keeps its shape.
-- * All messages are indexed again, some at a time; they stay findable meanwhile, and marks are not asked for before all
--   are done.

UPDATE assistant_search SET digest = NULL WHERE digest IS NOT NULL;
