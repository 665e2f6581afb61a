//! Sign-ins: the end of this one, the list of all, the end of another.

use super::Client;
use crate::api;
use crate::backend::told;
use crate::browser;
use crate::routes;
use gloo_net::http::Method;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::LoginList;

impl Client {
    /// Signs this browser out, and leaves for the page to sign in at.
    pub fn sign_out(self) {
        spawn_local(async move {
            match api::text(Method::POST, format!("{}/logout", self.base()), None).await {
                Ok(_) => browser::go(&routes::login(&self.base(), "")),
                Err(refusal) => self.toasts().fail(&refusal.error.message),
            }
        });
    }

    /// Asks who may be here.
    pub fn list_logins(self, into: RwSignal<LoginList>) {
        spawn_local(async move {
            match api::text(Method::GET, self.logins(), None).await {
                Ok(text) => drop(into.try_set(told::read(&text).unwrap_or_default())),
                Err(refusal) => self.toasts().fail(&refusal.error.message),
            }
        });
    }

    /// Ends a sign-in or takes a token back.
    pub fn end_login(self, id: String, list: RwSignal<LoginList>) {
        spawn_local(async move {
            let path = format!("{}/{}", self.logins(), routes::encode(&id));
            if let Err(refusal) = api::text(Method::DELETE, path, None).await {
                self.toasts().fail(&refusal.error.message);
            }
            self.list_logins(list);
        });
    }

    fn logins(self) -> String {
        format!("{}/api/v1/logins", self.base())
    }
}
