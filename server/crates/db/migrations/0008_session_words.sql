-- Owner: session. Every word that was ever indexed, once, so that a piece from its middle finds it.
--
-- Why it looks like this:
-- * A piece of a word (`*rida*`) is looked up among the words, and these are looked up in the index. There are far
--   fewer different words than words, so a message costs little more, and the less the more is stored.
-- * Pieces of three letters and more are found by trigrams; shorter ones by reading the words.
-- * A word may stay when its last message goes: it finds nothing then.
-- * What an older file holds is indexed again, some at a time, and stays findable meanwhile.

CREATE TABLE assistant_words (
    number INTEGER PRIMARY KEY,
    word   TEXT NOT NULL UNIQUE
) STRICT;

CREATE VIRTUAL TABLE assistant_word_pieces USING fts5 (
    word, content = 'assistant_words', content_rowid = 'number', tokenize = 'trigram'
);

CREATE TRIGGER assistant_words_cut AFTER INSERT ON assistant_words BEGIN
    INSERT INTO assistant_word_pieces (rowid, word) VALUES (new.number, new.word);
END;

UPDATE assistant_search SET digest = NULL;
