-- Owner: session. Two pieces of an index are enough to merge them when that is asked for.
--
-- Why: FTS5 merges four pieces of one size by itself as it writes, and wants as many where it is asked to merge while nobody
-- waits (`usermerge`). So it never found anything left to do, and each search looked up its words in up to three pieces of
-- each size.

INSERT INTO assistant_fts (assistant_fts, rank) VALUES ('usermerge', 2);
INSERT INTO assistant_word_pieces (assistant_word_pieces, rank) VALUES ('usermerge', 2);
