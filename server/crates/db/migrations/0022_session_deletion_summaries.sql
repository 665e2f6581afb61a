-- Owner: session. Which summaries there were when messages were thrown away.
--
-- Why: a summary that is made while a message lies in the trash says nothing of it. When the message comes back into its
-- range, the range must end before it, or what it says is in no prompt any more. Of older deletions that is told by time.

ALTER TABLE assistant_deletions ADD COLUMN summaries TEXT; -- JSON: a list of ids
