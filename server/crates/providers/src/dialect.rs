//! The languages that providers' APIs speak. A new vendor reuses one of them and gets a row in `vendors`.

pub(crate) mod openai;
