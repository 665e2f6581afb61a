-- Owner: session. The numbers that shape the answers of a session's model.
--
-- Why it looks like this: they are read and written as one, and a number that is added later needs no new column. JSON
-- of the wire's `Sampling`; null leaves everything to the provider.

ALTER TABLE assistant_sessions ADD COLUMN sampling TEXT;
