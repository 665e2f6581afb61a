-- Owner: session. The index spells a letter one way however it was typed: Korean and Japanese signs put together, and one
-- Greek sigma. Messages that hold the other spellings are indexed again; they stay findable meanwhile.

UPDATE assistant_search SET digest = NULL WHERE digest IS NOT NULL AND EXISTS (
    SELECT 1 FROM assistant_messages AS m
    WHERE m.session_id = assistant_search.session_id AND m.id = assistant_search.message_id
    AND m.content GLOB '*[' || char(962, 12441, 12442) || char(4352, 45, 4607) || ']*'
);
