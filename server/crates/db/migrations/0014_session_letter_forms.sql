-- Owner: session. The index spells a letter one way however it was typed: Korean and Japanese signs put together, wide Latin
-- letters and digits like any, and one Greek sigma. Messages that hold the other spellings are indexed again; they stay findable meanwhile.

UPDATE assistant_search SET digest = NULL WHERE digest IS NOT NULL AND EXISTS (
    SELECT 1 FROM assistant_messages AS m
    WHERE m.session_id = assistant_search.session_id AND m.id = assistant_search.message_id
    AND m.content GLOB '*[' || char(962, 12441, 12442) || char(4352, 45, 4607)
        || char(65296, 45, 65305) || char(65313, 45, 65338) || char(65345, 45, 65370) || ']*'
);
