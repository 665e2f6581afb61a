#![doc = include_str!("../README.md")]

mod accumulate;
mod block;
mod chunk;
mod client_frame;
mod error;
mod fields;
mod ids;
mod import;
pub mod limits;
mod login;
mod message;
mod model_info;
mod part;
mod prompt;
mod render;
mod resume;
mod sampling;
mod search;
mod server_frame;
mod session_info;
mod submission;
mod tool_part;
mod tool_spec;
mod tree;

pub use accumulate::{Accumulator, Applied, CrossMessage};
pub use block::{
    Author, BlockKind, BlockOrigin, BlockScope, BlockVersion, ContextBlock, PromptInfo, PromptSection,
    SkillInfo, WaitingChange, WaitingKind,
};
pub use chunk::{Chunk, DataChunk};
pub use client_frame::{Answered, ChatBody, ClientFrame, RequestInit, ToolResult, ToolVerdict, Trigger};
pub use error::{ErrorCode, WireError};
pub use ids::{ApprovalId, MessageId, OVERLAY_ID_PREFIX, RequestId, SessionId, StreamId, ToolCallId};
pub use import::{ImportReport, ImportStatus, ImportedSession};
pub use login::{LoginInfo, LoginKind, LoginList};
pub use message::{Message, Metadata, RESERVED_METADATA, Role, TURN_KEY, TurnInfo, TurnStatus, Usage};
pub use model_info::{FIRST_LISTED, ModelInfo, ModelList, ProviderInfo};
pub use part::{DataPart, Extra, FilePart, Part, PartState, SourceDocumentPart, SourceUrlPart, TextPart};
pub use prompt::{PieceKind, PromptChanges, PromptPiece, PromptReport, PromptTool};
pub use render::{CODE_CLASSES, Drawing, Pieces, RenderKind, RenderPiece, Run};
pub use resume::NoneReason;
pub use sampling::Sampling;
pub use search::{SearchHit, SearchPage, SnippetPiece};
pub use server_frame::{ChatResponse, Compacted, Phase, RpcReply, ServerFrame, TurnOutcome};
pub use session_info::{Awaited, OverlayInfo, SessionInfo, SessionPage, Siblings, Transcript};
pub use submission::{
    ScheduleInfo, Submission, SubmissionPage, SubmissionReceipt, SubmissionStatus, SubmissionTimes,
};
pub use tool_part::{Approval, ToolCall, ToolMove, ToolPart, ToolState, normalise_input};
pub use tool_spec::ToolSpec;
pub use tree::{DeletedMessage, MessageTrash, SessionTree, TreeNode, preview};
