//! What a sign-in is called in the list: the browser and the system, as far as the browser says. Pure.

/// Browsers by what they call themselves. All say they are others too, so the order counts.
const BROWSERS: [(&str, &str); 6] = [
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
/// Systems by what browsers call them; the same holds.
const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// Such as `Firefox on Android`.
pub(crate) fn name(user_agent: &str) -> String {
    let find = |known: &[(&str, &'static str)]| {
        known.iter().find(|(sign, _)| user_agent.contains(sign)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(name), None) | (None, Some(name)) => name.to_owned(),
        (None, None) => "A browser".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn browsers_are_known_by_what_they_say_first_of_all() {
        let webkit = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
        for (user_agent, expected) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
            (
                &format!("Mozilla/5.0 (Linux; Android 15) {webkit} Chrome/140.0.0.0 Mobile Safari/537.36"),
                "Chrome on Android",
            ),
            (
                &format!(
                    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) {webkit} Version/19.0 Safari/604.1"
                ),
                "Safari on iPhone",
            ),
            (
                &format!("Mozilla/5.0 (Windows NT 10.0) {webkit} Chrome/140.0 Safari/537.36 Edg/140.0"),
                "Edge on Windows",
            ),
            ("curl/8.9", "A browser"),
            ("<script>", "A browser"),
        ] {
            assert_eq!(name(user_agent), expected, "{user_agent}");
        }
    }
}
