//! When a stay ends.

use super::store::NewLogin;
use super::token::Token;
use super::*;
use crate::instances::tests::SetClock;
use db::{Database, UuidSource};
use futures::FutureExt;
use tempfile::TempDir;

struct Stay {
    auth: Arc<Auth>,
    clock: watch::Sender<u64>,
    caller: Caller,
    folder: TempDir,
}

/// A server with a password, and a browser that is signed in at time 0.
async fn stay() -> Stay {
    let folder = tempfile::tempdir().unwrap();
    let logins = Logins::new(Database::open(&folder.path().join("bough.db")).await.unwrap());
    logins.set_password("hash", 0).await.unwrap();
    let digest = Token::for_browser().unwrap().digest();
    let login = NewLogin { id: "b", digest: &digest, name: "A browser", now: 0 };
    assert!(logins.sign_in(&login, "hash").await.unwrap());
    let clock = watch::Sender::new(0);
    let sources =
        (Arc::new(SetClock(clock.clone())) as Arc<dyn Clock>, Arc::new(UuidSource) as Arc<dyn IdSource>);
    let auth = Arc::new(Auth::new(logins, sources, ("127.0.0.1:1".parse().unwrap(), "")));
    let caller = Caller::Person(Known { id: "b".to_owned(), digest, seen_at: 0 });
    Stay { auth, clock, caller, folder }
}

/// Waits until the caller has been looked for and is still there.
async fn lasts(ending: &mut (impl Future<Output = ()> + Unpin), auth: &Auth) {
    // The look is a read of the file: what is asked after it on the same file is answered after it.
    for _ in 0..50 {
        assert_eq!(ending.now_or_never(), None);
        let _mark = auth.logins.mark().await.unwrap();
    }
}

#[tokio::test]
async fn a_sign_in_ends_when_it_is_too_old_and_not_before() {
    let Stay { auth, clock, caller, folder: _folder } = stay().await;
    let mut ending = Box::pin(auth.ended(&caller));
    lasts(&mut ending, &auth).await;
    let _before = clock.send_replace(limits::LOGIN_MS - 1);
    lasts(&mut ending, &auth).await;
    auth.logins.renew("b", limits::LOGIN_MS - 1).await.unwrap();
    let _before = clock.send_replace(limits::LOGIN_MS + 1);
    lasts(&mut ending, &auth).await;
    let _before = clock.send_replace(2 * limits::LOGIN_MS);
    ending.await;
}

#[tokio::test]
async fn a_sign_in_ends_when_it_is_ended_here_and_no_other_does() {
    let Stay { auth, caller, folder: _folder, .. } = stay().await;
    let mut ending = Box::pin(auth.ended(&caller));
    lasts(&mut ending, &auth).await;
    assert!(!auth.end("another").await.unwrap());
    lasts(&mut ending, &auth).await;
    assert!(auth.end("b").await.unwrap());
    ending.await;
}

#[tokio::test]
async fn what_another_process_changes_is_noticed() {
    let Stay { auth, caller, folder, .. } = stay().await;
    let other = Logins::new(Database::open(&folder.path().join("bough.db")).await.unwrap());
    let mut ending = Box::pin(auth.ended(&caller));
    lasts(&mut ending, &auth).await;
    let before = auth.look(None).await;
    let before = auth.look(before).await;
    other.set_password("another", 1).await.unwrap();
    let _mark = auth.look(before).await;
    ending.await;
}

#[tokio::test]
async fn whoever_needed_no_password_may_stay_until_there_is_one() {
    let Stay { auth, folder: _folder, .. } = stay().await;
    assert!(auth.logins.remove_password().await.unwrap());
    let mut ending = Box::pin(auth.ended(&Caller::Anybody));
    lasts(&mut ending, &auth).await;
    auth.logins.set_password("hash", 1).await.unwrap();
    auth.tell();
    ending.await;
}
