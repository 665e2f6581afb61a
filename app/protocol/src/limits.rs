//! Every cap of the product, in one place, with the relations between them checked when this is compiled.
//!
//! Sizes are bytes of UTF-8, times are milliseconds, unless the name says otherwise.

/// Largest text frame a browser may send. A larger one closes nothing: it is answered with an error.
pub const FRAME_MAX_BYTES: usize = 16 * 1024 * 1024;
/// What the socket itself accepts before it gives up on the connection; above [`FRAME_MAX_BYTES`] so that the
/// friendly answer comes first.
pub const SOCKET_MESSAGE_MAX_BYTES: usize = 32 * 1024 * 1024;
/// Largest body of a JSON API request.
pub const API_BODY_MAX_BYTES: usize = 2 * 1024 * 1024;
/// What is read, and forgotten, of a larger body, so that the client gets its answer.
pub const API_BODY_DRAIN_MAX_BYTES: usize = 32 * 1024 * 1024;

/// Largest stored message (compact JSON).
pub const MESSAGE_MAX_BYTES: usize = 1_800_000;
/// The files that a page attaches to one message, as `data:` addresses together.
pub const ATTACHMENTS_MAX_BYTES: usize = 1_600_000;
/// A text that is pasted and longer than this becomes a file of the message.
pub const PASTE_AS_FILE_BYTES: usize = 8 * 1024;
/// Most parts one message may have.
pub const MESSAGE_MAX_PARTS: usize = 10_000;
/// Most levels of objects and lists in a stored message, counted from the message itself; a reader gives up at 128.
pub const MESSAGE_MAX_NESTING: usize = 100;
/// How long a hook of an agent may take that a turn waits for.
pub const HOOK_TIMEOUT_MS: u64 = 30_000;
/// How many batches of chunks a hook that only looks on may be behind, twice: half of the room is for ends of steps.
pub const HOOK_BACKLOG_MAX: usize = 1_024;
/// How many batches of chunks a program that asked for a turn may be behind before it misses some.
pub const CALLBACK_BACKLOG_MAX: usize = 1_024;
/// How many calls of other agents one turn may make.
pub const AGENT_CALLS_PER_TURN_MAX: usize = 16;
/// How long a call of another agent may take.
pub const AGENT_CALL_TIMEOUT_MS: u64 = 15 * 60 * 1_000;
/// How many turns may stand inside each other, each asked for by a tool or a hook of the one around it.
pub const AGENT_DEPTH_MAX: usize = 4;
/// How long a model may take over the title of a session.
pub const TITLE_TIMEOUT_MS: u64 = 30_000;
/// Most prompts one summary may take; a conversation that needs more is summarised bit by bit.
pub const PROMPTS_PER_SUMMARY_MAX: usize = 32;
/// Most summaries written in one go, where pinned messages divide what is to be summarised.
pub const SUMMARIES_PER_TRIGGER_MAX: usize = 4;
/// Stored bytes of messages that the prompts of one instance remember from turn to turn, all sessions together.
pub const RECALL_MAX_BYTES: usize = 32 * 1024 * 1024;
/// Most messages one chat request may list.
pub const REQUEST_MAX_MESSAGES: usize = 20_000;

/// Longest session, message, request or tool call id.
pub const ID_MAX_BYTES: usize = 256;
/// Longest name of a session.
pub const SESSION_NAME_MAX_CHARS: usize = 200;
/// Longest agent or instance name in an address.
pub const INSTANCE_NAME_MAX_BYTES: usize = 64;
/// Sessions on a page whose size nobody named.
pub const SESSION_PAGE_DEFAULT: usize = 100;
/// Most sessions one page of the list holds.
pub const SESSION_PAGE_MAX: usize = 500;
/// Messages of a window whose size nobody named.
pub const MESSAGE_PAGE_DEFAULT: usize = 60;
/// Most messages one window of a transcript holds.
pub const MESSAGE_PAGE_MAX: usize = 500;
/// Most models that are asked the same question at once.
pub const COMPARED_MODELS_MAX: usize = 8;
/// Most messages the outline of a session's tree shows, the latest ones.
pub const TREE_MAX_NODES: usize = 20_000;
/// Most deletions the trash of a session lists, the latest ones.
pub const TRASH_LIST_MAX: usize = 500;
/// Deletions that the trash of a session keeps; with a further one, the oldest goes for good.
pub const TRASH_DELETIONS_MAX: usize = 500;
/// What the messages in the trash of a session may hold together, but for the latest deletion, which stays in any case.
pub const TRASH_MAX_BYTES: u64 = 512 * 1024 * 1024;
/// How much of a message the outline shows.
pub const PREVIEW_MAX_CHARS: usize = 80;
/// Agent instances open at the same time; for another one, the one that was not used for the longest time is closed.
pub const INSTANCES_MAX: usize = 1_000;
/// How long nobody may use an agent instance before it is closed, where nobody says otherwise.
pub const INSTANCE_IDLE_MS: u64 = 15 * 60 * 1_000;

/// Largest file of conversations that is imported, as it is sent.
pub const IMPORT_MAX_BYTES: usize = 1024 * 1024 * 1024;
/// Largest piece of such a file that is read at once: a message, or a whole conversation of another product.
pub const IMPORT_VALUE_MAX_BYTES: usize = 128 * 1024 * 1024;
/// The same for one message of our own format: as large as one can be stored, each byte of it written as an escape.
pub const IMPORT_MESSAGE_MAX_BYTES: usize = 16 * 1024 * 1024;
/// Most files in an archive of conversations.
pub const IMPORT_ENTRIES_MAX: usize = 100_000;
/// What is unpacked of an archive at most.
pub const IMPORT_INFLATED_MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// How many times its packed size a file in an archive may unpack to...
pub const IMPORT_INFLATION_MAX: u64 = 200;
/// ...beyond this much, which any file may.
pub const IMPORT_INFLATED_FREE_BYTES: u64 = 1024 * 1024;
/// How long such a file may take to arrive.
pub const IMPORT_BODY_MS: u64 = 10 * 60 * 1_000;
/// Most sessions of one such file.
pub const IMPORT_SESSIONS_MAX: usize = 50_000;
/// Messages of one session that are imported, or removed again, before others may write...
pub const IMPORT_BATCH_MESSAGES: usize = 100;
/// ...or so many bytes of them.
pub const IMPORT_BATCH_BYTES: usize = 1024 * 1024;
/// Most sessions that one export names; all sessions need no names.
pub const EXPORT_NAMED_MAX: usize = 200;
/// Most problems with one session that its report names; more are counted.
pub const IMPORT_PROBLEMS_MAX: usize = 10;

/// Longest label of a context block.
pub const BLOCK_LABEL_MAX_BYTES: usize = 64;
/// Longest description of a context block.
pub const BLOCK_DESCRIPTION_MAX_CHARS: usize = 1_000;
/// Largest content of a context block, whatever its own limit says.
pub const BLOCK_MAX_BYTES: usize = 256 * 1024;
/// Most context blocks a session may show the model.
pub const BLOCKS_MAX: usize = 100;
/// Versions kept of one context block, the newest ones.
pub const BLOCK_VERSIONS_MAX: usize = 500;
/// Most versions one page of a block's history holds.
pub const BLOCK_VERSION_PAGE_MAX: usize = 100;
/// Largest entry of a block of skills or of a searchable block.
pub const ENTRY_MAX_BYTES: usize = 256 * 1024;
/// Longest key of such an entry.
pub const ENTRY_KEY_MAX_BYTES: usize = 256;
/// Most skills one block lists.
pub const SKILLS_MAX: usize = 1_000;
/// Most entries of one searchable block.
pub const SEARCH_ENTRIES_MAX: usize = 10_000;
/// Most hits one search of a block gives the model.
pub const SEARCH_BLOCK_HITS_MAX: usize = 10;

/// What is read of a socket at once. It is filled with zeros before every attempt, and one is made whenever
/// the socket is written to, so that large ones cost more than all the rest.
pub const SOCKET_READ_BUFFER_BYTES: usize = 4 * 1024;
/// What is written to a socket at once.
pub const SOCKET_WRITE_BUFFER_BYTES: usize = 64 * 1024;
/// Sockets that are open at the same time; fewer where the system allows too few open files.
pub const SOCKETS_MAX: usize = 4_096;
/// Connections that are served at the same time, sockets not counted; further ones wait to be taken. Fewer where the
/// system allows too few open files.
pub const CONNECTIONS_MAX: usize = 1_024;
/// How long a connection may take to say what it wants, also between two requests.
pub const REQUEST_HEAD_MS: u64 = 30_000;
/// How long a connection may leave what is written to it unread; reading anything begins the time anew.
pub const CONNECTION_WRITE_MS: u64 = 30_000;
/// How long the body of a request to the JSON API may take to arrive.
pub const API_BODY_MS: u64 = 60_000;
/// How often the server shows a socket that it is there.
pub const SOCKET_PING_MS: u64 = 30_000;
/// How long a socket may be silent, answers to pings included, before it is given up.
pub const SOCKET_SILENCE_MS: u64 = 75_000;
/// How long a socket may take to accept what is sent.
pub const SOCKET_SEND_MS: u64 = 20_000;

/// Commands waiting for one session's actor; a sender waits when it is full.
pub const MAILBOX_MAX: usize = 64;
/// Frames waiting for one socket; when full the socket is dropped to resume.
pub const SUBSCRIBER_QUEUE_MAX: usize = 1_024;
/// Bytes waiting for one socket; when over, the socket is dropped to resume.
pub const SUBSCRIBER_QUEUE_MAX_BYTES: usize = 32 * 1024 * 1024;
/// What is read of a stored stream at once for a socket that comes back; the last row of it may go beyond...
pub const REPLAY_PAGE_BYTES: usize = 256 * 1024;
/// ...and at most so many rows.
pub const REPLAY_PAGE_ROWS: u32 = 512;
/// Turns waiting in one session.
pub const TURN_QUEUE_MAX: usize = 64;
/// Chunks waiting to be stored; the turn waits when it is full.
pub const CHUNK_BACKLOG_MAX: usize = 4_096;
/// Chunks committed in one transaction.
pub const CHUNK_BATCH_MAX: usize = 512;
/// Model calls of one turn.
pub const STEPS_DEFAULT: u32 = 10;
/// Tool calls run at the same time in one step.
pub const PARALLEL_TOOLS_MAX: usize = 8;
/// Tool calls one model answer may hold.
pub const TOOL_CALLS_PER_STEP_MAX: usize = 128;
/// Answers to calls of a running turn that wait for its end.
pub const HELD_REPLIES_MAX: usize = 512;
/// Longest arguments of one tool call.
pub const TOOL_INPUT_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Longest run of one tool.
pub const TOOL_TIMEOUT_MS: u64 = 120_000;
/// Largest result of a tool, as JSON; a larger one is a failed call.
pub const TOOL_OUTPUT_MAX_BYTES: usize = 1024 * 1024;
/// Preliminary results of one call that are shown.
pub const TOOL_REPORTS_MAX: usize = 1_000;
/// Preliminary results that wait to be shown; a tool waits when it is full.
pub const TOOL_REPORT_QUEUE_MAX: usize = 64;
/// Submissions that wait for their slot.
pub const SUBMISSIONS_PENDING_MAX: usize = 1_000;
/// Messages of one submission.
pub const SUBMISSION_MAX_MESSAGES: usize = 100;
/// Most submissions one page of the list holds.
pub const SUBMISSION_PAGE_MAX: usize = 500;
/// Submissions on a page whose size nobody named.
pub const SUBMISSION_PAGE_DEFAULT: usize = 100;
/// Longest name of a tool that a server outside offers, as providers accept it.
pub const TOOL_NAME_MAX_CHARS: usize = 64;
/// Tools taken of one MCP server.
pub const MCP_TOOLS_MAX: usize = 256;
/// How long an MCP server may take to answer the greeting or to list its tools.
pub const MCP_CONNECT_MS: u64 = 30_000;
/// One message of an MCP server.
pub const MCP_MESSAGE_MAX_BYTES: usize = 8 * 1024 * 1024;
/// Largest result of an MCP tool, as JSON; a larger one is a failed call.
pub const MCP_RESULT_MAX_BYTES: usize = 256 * 1024;
/// Largest schema or description of an MCP tool; a tool with a larger one is left out.
pub const MCP_SPEC_MAX_BYTES: usize = 64 * 1024;
/// First and longest wait before an MCP server is tried again.
pub const MCP_RETRY_MS: (u64, u64) = (500, 60_000);
/// How often a failed call of a provider is tried again, where nobody says otherwise.
pub const PROVIDER_RETRIES_DEFAULT: u32 = 2;
/// First and longest wait before a provider is called again.
pub const PROVIDER_RETRY_MS: (u64, u64) = (500, 30_000);
/// A call of a provider that failed only after so long is not repeated.
pub const PROVIDER_RETRY_PATIENCE_MS: u64 = 60_000;
/// How long a connection to a provider may take.
pub const PROVIDER_CONNECT_MS: u64 = 10_000;
/// How long a provider may take for the first byte of an answer; long, since a local model may have to load and to read
/// a long prompt first.
pub const PROVIDER_FIRST_BYTE_MS: u64 = 600_000;
/// How long it may be silent between two pieces of an answer, keep-alives included.
pub const PROVIDER_IDLE_MS: u64 = 180_000;
/// How long a called model may say nothing, where nobody says otherwise. Local models may have to load, and to read a
/// long prompt first.
pub const STALL_TIMEOUT_MS: u64 = 600_000;
/// How often one turn calls a model again that had said nothing at all for so long.
pub const STALL_RETRIES_MAX: u32 = 1;
/// How often a turn that ends of the server interrupted is taken up again, in all.
pub const RECOVERY_ATTEMPTS_MAX: u32 = 10;
/// The same for ends in a row between which it came no further.
pub const RECOVERY_FRUITLESS_MAX: u32 = 2;
/// How long a turn that was taken up again may work without getting any further, over all its tries.
pub const RECOVERY_FRUITLESS_MS: u64 = 5 * 60 * 1_000;
/// How often that time is written down; a kill loses so much of it.
pub const RECOVERY_NOTED_MS: u64 = 10 * 1_000;
/// Other sessions in which one socket's requests can be stopped by it: the latest ones.
pub const SOCKET_SESSIONS_MAX: usize = 32;
/// How long tabs that open are told that an interrupted answer is being finished.
pub const RECOVERING_TOLD_MS: u64 = 15 * 60 * 1_000;
/// One event of a provider's stream.
pub const PROVIDER_EVENT_MAX_BYTES: usize = 16 * 1024 * 1024;

/// Characters of a search that are read.
pub const SEARCH_QUERY_MAX_CHARS: usize = 400;
/// Words, phrases and conditions of a search that are read.
pub const SEARCH_TERMS_MAX: usize = 32;
/// Shortest beginning of a word that is searched for as such; shorter ones are taken as words.
pub const SEARCH_PREFIX_MIN_CHARS: usize = 3;
/// Hits on a page of a search that names no number.
pub const SEARCH_PAGE_DEFAULT: usize = 20;
/// Most hits one page of a search holds.
pub const SEARCH_PAGE_MAX: usize = 100;
/// How many matches are put in order by how well they fit; more than so many come newest first.
pub const SEARCH_RANKED_MAX: usize = 1_000;
/// The same where each match costs more to find: phrases, exclusions, several conditions.
pub const SEARCH_RANKED_HARD_MAX: usize = 300;
/// Different words that a piece of a word stands for; of more, those that were stored first.
pub const SEARCH_PIECE_WORDS_MAX: usize = 100;
/// How much of what a message says, and of what its tools gave, can be found.
pub const SEARCH_INDEXED_MAX_BYTES: usize = 256 * 1024;
/// How much of one argument or result of a tool can be found.
pub const SEARCH_VALUE_MAX_BYTES: usize = 32 * 1024;
/// Longest piece of a message that is shown for a hit.
pub const SEARCH_SNIPPET_MAX_CHARS: usize = 240;
/// Messages of an older file that are indexed in one go.
pub const SEARCH_BACKFILL_MAX: usize = 500;
/// Hits that the `session_search` tool gives to a model.
pub const SEARCH_TOOL_HITS: usize = 10;
/// What of one message that tool gives.
pub const SEARCH_TOOL_TEXT_MAX_CHARS: usize = 8_000;

/// Pieces that one request may ask to be drawn.
pub const RENDER_PIECES_MAX: usize = 64;
/// Code beyond this stays plain.
pub const RENDER_CODE_MAX_BYTES: usize = 128 * 1024;
/// A line of code longer than this stays plain, with those after it: no person wrote it.
pub const RENDER_LINE_MAX_BYTES: usize = 4 * 1024;
/// How long one block of code may be worked on; what is left then stays plain.
pub const RENDER_CODE_MS: u64 = 400;
/// Longest formula that is drawn.
pub const RENDER_MATHS_MAX_BYTES: usize = 4 * 1024;
/// Largest MathML of a formula.
pub const RENDER_MATHML_MAX_BYTES: usize = 256 * 1024;
/// Longest diagram that is drawn.
pub const RENDER_DIAGRAM_MAX_BYTES: usize = 32 * 1024;
/// Largest picture of a diagram.
pub const RENDER_SVG_MAX_BYTES: usize = 512 * 1024;
/// How long one diagram may be worked on.
pub const RENDER_DIAGRAM_MS: u64 = 2_000;
/// Drawings that are kept, by their size with their source.
pub const RENDER_CACHE_MAX_BYTES: u32 = 32 * 1024 * 1024;

/// Shortest password that can be set.
pub const PASSWORD_MIN_CHARS: usize = 8;
/// Longest password that can be set.
pub const PASSWORD_MAX_BYTES: usize = 1_024;
/// Largest form of the sign-in page: a password with each byte of it as an escape, and where to go then.
pub const LOGIN_FORM_MAX_BYTES: usize = 8 * 1024;
/// How long that form may take to arrive.
pub const LOGIN_FORM_MS: u64 = 10_000;
/// Longest address that the sign-in page leads back to; a longer one leads to the first page.
pub const LOGIN_NEXT_MAX_BYTES: usize = 2_048;
/// How long a sign-in of a browser lasts after its last use.
pub const LOGIN_MS: u64 = 30 * 24 * 60 * 60 * 1_000;
/// How long after its last renewal a sign-in that is used is renewed.
pub const LOGIN_RENEW_MS: u64 = 24 * 60 * 60 * 1_000;
/// Sign-ins of browsers that are kept; a further one ends the one that was not used for the longest time.
pub const LOGINS_MAX: usize = 200;
/// Tokens of programs.
pub const TOKENS_MAX: usize = 200;
/// Longest name of a token.
pub const TOKEN_NAME_MAX_CHARS: usize = 64;
/// Cookies of one name that are looked at; another path or a parent domain may have set its own.
pub const LOGIN_COOKIES_MAX: usize = 4;
/// How soon a server that runs notices what the command line changed about who may be there.
pub const LOGIN_LOOK_MS: u64 = 5_000;
/// Passwords that are compared at the same time; each takes 19 MiB and a thread.
pub const PASSWORD_CHECKS_MAX: usize = 2;
/// Passwords that wait to be compared.
pub const PASSWORD_CHECKS_WAITING_MAX: usize = 16;
/// Wrong passwords from one address before it has to wait.
pub const GUESSES_FREE: u32 = 5;
/// First and longest wait of one address; each further wrong password doubles it.
pub const GUESS_WAIT_MS: (u64, u64) = (1_000, 15 * 60 * 1_000);
/// Wrong passwords from all addresses together before everybody has to wait.
pub const GUESSES_OF_ALL_FREE: u32 = 50;
/// First and longest wait of all together.
pub const GUESS_OF_ALL_WAIT_MS: (u64, u64) = (250, 4_000);
/// Addresses where somebody signed in from that are remembered: guesses from elsewhere make none of them wait.
pub const GUESSERS_FAMILIAR_MAX: usize = 64;
/// How long after its last wrong password an address begins anew.
pub const GUESSES_FORGOTTEN_MS: u64 = 60 * 60 * 1_000;
/// Addresses whose wrong passwords are counted; of more, those that guessed last.
pub const GUESSERS_MAX: usize = 4_096;

/// How long a start waits for an endpoint to name its first model.
pub const FIRST_MODEL_MS: u64 = 1_000;
/// First and longest wait before this machine is looked at again for a model, where nothing is configured.
pub const FIRST_MODEL_LOOK_MS: (u64, u64) = (2_000, 60_000);
/// Shapes of answers that are remembered of one provider as refused, the latest.
pub const REFUSED_SHAPES_MAX: usize = 64;
/// How long a finished stream can be replayed.
pub const STREAM_FINISHED_RETENTION_MS: u64 = 10 * 60 * 1_000;
/// How long a silent unfinished stream is kept.
pub const STREAM_ABANDONED_RETENTION_MS: u64 = 60 * 60 * 1_000;
/// How long the server waits for open turns and sockets when it stops.
pub const SHUTDOWN_GRACE_MS: u64 = 5_000;

const _: () = assert!(FRAME_MAX_BYTES < SOCKET_MESSAGE_MAX_BYTES);
const _: () = assert!(3 * PASSWORD_MAX_BYTES + 2 * LOGIN_NEXT_MAX_BYTES < LOGIN_FORM_MAX_BYTES);
const _: () = assert!(LOGIN_RENEW_MS < LOGIN_MS);
const _: () = assert!(GUESS_WAIT_MS.0 < GUESS_WAIT_MS.1 && GUESS_WAIT_MS.1 < GUESSES_FORGOTTEN_MS);
const _: () = assert!(GUESS_OF_ALL_WAIT_MS.0 < GUESS_OF_ALL_WAIT_MS.1 && GUESSES_FREE < GUESSES_OF_ALL_FREE);
const _: () = assert!(2 * SOCKET_PING_MS < SOCKET_SILENCE_MS);
const _: () = assert!(SOCKET_SEND_MS < CONNECTION_WRITE_MS);
const _: () = assert!(MESSAGE_MAX_BYTES < FRAME_MAX_BYTES);
const _: () = assert!(ATTACHMENTS_MAX_BYTES + PASTE_AS_FILE_BYTES < MESSAGE_MAX_BYTES);
const _: () = assert!(BLOCK_MAX_BYTES < API_BODY_MAX_BYTES);
const _: () = assert!(ENTRY_MAX_BYTES < MESSAGE_MAX_BYTES);
const _: () = assert!(SEARCH_RANKED_HARD_MAX <= SEARCH_RANKED_MAX);
const _: () = assert!(SEARCH_PAGE_MAX <= SEARCH_RANKED_HARD_MAX && SEARCH_TOOL_HITS <= SEARCH_PAGE_MAX);
const _: () = assert!(SEARCH_VALUE_MAX_BYTES <= SEARCH_INDEXED_MAX_BYTES);
const _: () = assert!(SESSION_PAGE_DEFAULT <= SESSION_PAGE_MAX && MESSAGE_PAGE_DEFAULT <= MESSAGE_PAGE_MAX);
const _: () = assert!(RECOVERY_FRUITLESS_MAX < RECOVERY_ATTEMPTS_MAX);
const _: () = assert!(RECOVERY_NOTED_MS < RECOVERY_FRUITLESS_MS);
const _: () = assert!(PROVIDER_RETRY_MS.0 < PROVIDER_RETRY_MS.1 && PROVIDER_RETRY_MS.1 < STALL_TIMEOUT_MS);
const _: () =
    assert!(RENDER_LINE_MAX_BYTES < RENDER_CODE_MAX_BYTES && RENDER_CODE_MAX_BYTES < API_BODY_MAX_BYTES);
// A control character is one byte, and six as an escape.
const _: () = assert!(6 * MESSAGE_MAX_BYTES < IMPORT_MESSAGE_MAX_BYTES);
const _: () =
    assert!(IMPORT_MESSAGE_MAX_BYTES < IMPORT_VALUE_MAX_BYTES && IMPORT_VALUE_MAX_BYTES < IMPORT_MAX_BYTES);
const _: () = assert!(IMPORT_INFLATED_FREE_BYTES < IMPORT_INFLATED_MAX_BYTES);
const _: () = assert!(TRASH_LIST_MAX <= TRASH_DELETIONS_MAX);
const _: () = assert!(CHUNK_BATCH_MAX < CHUNK_BACKLOG_MAX);
const _: () = assert!(STREAM_FINISHED_RETENTION_MS < STREAM_ABANDONED_RETENTION_MS);
const _: () = assert!(TOOL_INPUT_MAX_BYTES < PROVIDER_EVENT_MAX_BYTES);
const _: () =
    assert!(TOOL_OUTPUT_MAX_BYTES < MESSAGE_MAX_BYTES && MCP_RESULT_MAX_BYTES <= TOOL_OUTPUT_MAX_BYTES);
