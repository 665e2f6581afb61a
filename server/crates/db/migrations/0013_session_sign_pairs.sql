-- Owner: session. Neighbouring signs of scripts without spaces are indexed as pairs too, because a single sign stands in
-- almost every message, and comparing the places of such signs everywhere is what made pieces of sentences slow to find.
--
-- Why it looks like this:
-- * Pairs stand in the columns of stems, so the index keeps its shape.
-- * Messages that hold such signs are indexed again, some at a time; they stay findable meanwhile, and pairs are not
--   asked for before all are done. Messages in other scripts are left alone.

UPDATE assistant_search SET digest = NULL WHERE digest IS NOT NULL AND EXISTS (
    SELECT 1 FROM assistant_messages AS m
    WHERE m.session_id = assistant_search.session_id AND m.id = assistant_search.message_id
    AND m.content GLOB '*['
        || char(3584, 45, 3839) || char(4096, 45, 4255) || char(4352, 45, 4607)
        || char(6016, 45, 6143) || char(9728, 45, 10175) || char(11904, 45, 12287)
        || char(12289, 45, 40959) || char(43360, 45, 43391) || char(44032, 45, 55295)
        || char(63744, 45, 64255) || char(65072, 45, 65103) || char(65281, 45, 65519)
        || char(126976, 45, 129791) || char(131072, 45, 262143) || ']*'
);
