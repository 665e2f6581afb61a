//! What the store lets in, and for how long.

use super::*;
use crate::auth::token::Token;
use tempfile::TempDir;

async fn logins() -> (TempDir, Logins) {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::open(&folder.path().join("bough.db")).await.unwrap();
    (folder, Logins::new(db))
}

fn new<'a>(id: &'a str, digest: &'a Digest, now: u64) -> NewLogin<'a> {
    NewLogin { id, digest, name: id, now }
}

/// The ids of all that let in at a time.
async fn ids(logins: &Logins, now: u64) -> Vec<String> {
    logins.all(now).await.unwrap().into_iter().map(|login| login.id).collect()
}

#[tokio::test]
async fn a_new_password_signs_all_browsers_out_and_leaves_programs_in() {
    let (_folder, logins) = logins().await;
    let (browser, program) = (Token::for_browser().unwrap().digest(), Token::for_program().unwrap().digest());
    assert_eq!(logins.password().await.unwrap(), None);
    assert_eq!(logins.standing(None, 0).await.unwrap(), Standing { has_password: false, login: None });
    logins.set_password("one", 1).await.unwrap();
    assert!(logins.sign_in(&new("b", &browser, 2), "one").await.unwrap());
    assert!(logins.add_token(&new("p", &program, 3)).await.unwrap());
    let login = |id: &str, kind, seen_at, expires_at| {
        let login = Some(Login { id: id.to_owned(), kind, seen_at, expires_at });
        Standing { has_password: true, login }
    };
    let until = Some(2 + limits::LOGIN_MS);
    assert_eq!(logins.standing(Some(&browser), 3).await.unwrap(), login("b", LoginKind::Browser, 2, until));
    assert_eq!(logins.standing(Some(&program), 3).await.unwrap(), login("p", LoginKind::Program, 3, None));
    let before = logins.mark().await.unwrap();
    logins.set_password("two", 4).await.unwrap();
    assert_ne!(logins.mark().await.unwrap(), before);
    assert_eq!(
        logins.standing(Some(&browser), 5).await.unwrap(),
        Standing { has_password: true, login: None }
    );
    assert_eq!(ids(&logins, 5).await, ["p"]);
    assert_eq!(
        (logins.remove_password().await.unwrap(), logins.remove_password().await.unwrap()),
        (true, false)
    );
}

#[tokio::test]
async fn who_gave_a_password_that_is_none_any_more_is_not_signed_in() {
    let (_folder, logins) = logins().await;
    let digest = Token::for_browser().unwrap().digest();
    logins.set_password("new", 1).await.unwrap();
    assert!(!logins.sign_in(&new("b", &digest, 2), "old").await.unwrap());
    assert_eq!(ids(&logins, 2).await, [""; 0]);
}

#[tokio::test]
async fn a_sign_in_lasts_as_long_as_it_is_used() {
    let (_folder, logins) = logins().await;
    let digest = Token::for_browser().unwrap().digest();
    logins.set_password("hash", 0).await.unwrap();
    assert!(logins.sign_in(&new("b", &digest, 0), "hash").await.unwrap());
    let lets_in = async |now| logins.standing(Some(&digest), now).await.unwrap().login.is_some();
    assert_eq!((lets_in(limits::LOGIN_MS - 1).await, lets_in(limits::LOGIN_MS).await), (true, false));
    logins.renew("b", 1_000).await.unwrap();
    let end = 1_000 + limits::LOGIN_MS;
    assert_eq!((lets_in(end - 1).await, lets_in(end).await), (true, false));
    assert_eq!(ids(&logins, end).await, [""; 0]);
}

#[tokio::test]
async fn too_many_sign_ins_end_those_that_nobody_uses() {
    let (_folder, logins) = logins().await;
    logins.set_password("hash", 0).await.unwrap();
    for now in 0..=limits::LOGINS_MAX {
        let (id, digest) = (format!("b{now}"), Token::for_browser().unwrap().digest());
        assert!(logins.sign_in(&new(&id, &digest, u64::try_from(now).unwrap()), "hash").await.unwrap());
    }
    let left = ids(&logins, 999).await;
    let (newest, oldest) = (format!("b{}", limits::LOGINS_MAX), "b1".to_owned());
    assert_eq!((left.len(), left.first(), left.last()), (limits::LOGINS_MAX, Some(&newest), Some(&oldest)));
}

#[tokio::test]
async fn a_token_has_a_name_of_its_own_until_it_is_taken_back() {
    let (_folder, logins) = logins().await;
    let digests: Vec<_> = (0..3).map(|_| Token::for_program().unwrap().digest()).collect();
    let named = |id, digest| NewLogin { id, digest, name: "ci", now: 1 };
    assert!(logins.add_token(&named("1", &digests[0])).await.unwrap());
    assert!(!logins.add_token(&named("2", &digests[1])).await.unwrap());
    assert_eq!(
        (logins.remove_token("ci").await.unwrap(), logins.remove_token("ci").await.unwrap()),
        (true, false)
    );
    assert!(logins.add_token(&named("3", &digests[2])).await.unwrap());
    assert_eq!((logins.end("3").await.unwrap(), logins.end("3").await.unwrap()), (true, false));
}
