//! Where a request comes from, for counting wrong passwords: the other side of the connection, or what a proxy on this
//! machine says about it. Pure.

use axum::http::{HeaderMap, HeaderName};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The other side of a connection. Goes with every request of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Who guesses. A proxy appends whom it heard to what it was told, so only the last address of the header is its word;
/// those before it are what anybody may have written there.
pub(crate) fn address(peer: Option<Peer>, headers: &HeaderMap) -> IpAddr {
    let direct = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(address)| address.ip());
    if !direct.to_canonical().is_loopback() {
        return direct;
    }
    let told = headers.get_all(FORWARDED_FOR).iter().next_back().and_then(|value| value.to_str().ok());
    let last = told.and_then(|text| text.rsplit(',').next()).map(str::trim);
    last.and_then(|text| text.parse().ok()).unwrap_or(direct)
}

/// Whether a proxy in front says that the browser spoke TLS with it.
pub(crate) fn is_https(headers: &HeaderMap) -> bool {
    let told = headers.get(FORWARDED_PROTO).and_then(|value| value.to_str().ok());
    told.and_then(|text| text.split(',').next())
        .is_some_and(|proto| proto.trim().eq_ignore_ascii_case("https"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn only_a_proxy_on_this_machine_is_believed_and_only_its_own_word() {
        for (peer, told, expected) in [
            ("192.0.2.1:5", &[][..], "192.0.2.1"),
            ("192.0.2.1:5", &["198.51.100.7"], "192.0.2.1"),
            ("127.0.0.1:5", &[], "127.0.0.1"),
            ("127.0.0.1:5", &["198.51.100.7"], "198.51.100.7"),
            ("[::1]:5", &["1.1.1.1, 198.51.100.7"], "198.51.100.7"),
            ("[::ffff:127.0.0.1]:5", &["1.1.1.1", "198.51.100.7"], "198.51.100.7"),
            ("127.0.0.1:5", &["2001:db8::1"], "2001:db8::1"),
            ("127.0.0.1:5", &["198.51.100.7, nonsense"], "127.0.0.1"),
        ] {
            let headers: HeaderMap =
                told.iter().map(|text| (FORWARDED_FOR, HeaderValue::from_static(text))).collect();
            let found = address(Some(Peer(peer.parse().unwrap())), &headers);
            assert_eq!(found, expected.parse::<IpAddr>().unwrap(), "{peer} {told:?}");
        }
        assert_eq!(address(None, &HeaderMap::new()), IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    }

    #[test]
    fn tls_in_front_is_what_the_proxy_says() {
        for (told, expected) in [("https", true), ("HTTPS, http", true), ("http, https", false), ("", false)]
        {
            let headers = HeaderMap::from_iter([(FORWARDED_PROTO, HeaderValue::from_static(told))]);
            assert_eq!(is_https(&headers), expected, "{told}");
        }
    }
}
