#![doc = include_str!("../README.md")]

mod dialect;
mod entropy;
mod guide;
mod http;
mod now;
mod registry;
mod secret;
mod sse;
mod vendors;

pub use dialect::Api;
pub use dialect::openai::{ReasoningReplay, ThinkTags};
pub use entropy::Entropy;
pub use guide::GUIDE;
pub use http::{HttpSettings, RetryPolicy};
pub use now::Now;
pub use registry::{ListProblem, Listing, ModelInfo, Origin, ProviderConfig, Registry, RegistryOptions};
pub use secret::Secret;
pub use vendors::{Place, VENDORS, Vendor, vendor};
