//! Adapters to the APIs of model providers, and the built-in guide.
