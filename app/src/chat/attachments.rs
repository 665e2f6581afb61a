//! What may be attached to a message, and how it is shown. Pure.

use crate::format;
use protocol::{FilePart, limits};

/// Files in one message.
const FILES_MAX: usize = 20;

/// Pictures that a page shows: those whose bytes are in the message. Nothing is ever fetched for a picture.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Why a file cannot be attached to a message that already holds `used` bytes of files.
pub fn refusal(name: &str, size: u64, used: usize) -> Option<String> {
    // Four letters of base64 for three bytes.
    let needed = size.div_ceil(3).saturating_mul(4);
    let room = (limits::ATTACHMENTS_MAX_BYTES.saturating_sub(used) as u64) / 4 * 3;
    let most = format::bytes((limits::ATTACHMENTS_MAX_BYTES / 4 * 3) as u64);
    let size = format::bytes(size);
    if needed > limits::ATTACHMENTS_MAX_BYTES as u64 {
        return Some(format!("{name} has {size}; the files of one message may have {most} together."));
    }
    let is_full = needed.saturating_add(used as u64) > limits::ATTACHMENTS_MAX_BYTES as u64;
    is_full.then(|| {
        let room = format::bytes(room);
        format!("{name} has {size} and there is room for {room}: the files of one message may have {most} together.")
    })
}

/// Why so many files are too many.
pub fn too_many(count: usize) -> Option<String> {
    (count > FILES_MAX).then(|| format!("A message holds at most {FILES_MAX} files."))
}

/// The address of a picture whose bytes are in the message.
pub fn inline_image(file: &FilePart) -> Option<String> {
    let rest = file.url.strip_prefix("data:")?;
    let is_picture = PICTURES.iter().any(|known| {
        file.media_type.eq_ignore_ascii_case(known)
            && rest.get(..known.len()).is_some_and(|kind| kind.eq_ignore_ascii_case(known))
    });
    is_picture.then(|| file.url.clone())
}

/// How large a file is, where its bytes are in the message.
pub fn size_of(file: &FilePart) -> String {
    let data = file.url.strip_prefix("data:").and_then(|rest| rest.split_once(','));
    data.map_or_else(String::new, |(_, data)| format::bytes((data.len() / 4 * 3) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(media_type: &str, url: &str) -> FilePart {
        let (media_type, url) = (media_type.to_owned(), url.to_owned());
        FilePart { media_type, url, filename: None, provider_metadata: None, extra: protocol::Extra::new() }
    }

    #[test]
    fn a_file_that_is_too_large_is_refused_with_the_numbers() {
        assert_eq!(refusal("a.png", 1_000, 0), None);
        let alone = "a.png has 3.1 MB; the files of one message may have 1.2 MB together.";
        assert_eq!(refusal("a.png", 3_100_000, 0).as_deref(), Some(alone));
        let beside = "a.png has 600.0 kB and there is room for 450.0 kB: the files of one message may have 1.2 MB together.";
        assert_eq!(refusal("a.png", 600_000, 1_000_000).as_deref(), Some(beside));
        assert_eq!((too_many(20), too_many(21).is_some()), (None, true));
    }

    /// Remote pictures are never loaded, and neither is anything that only says that it is one.
    #[test]
    fn only_pictures_in_the_message_are_shown() {
        let check = |media_type, url, shown| {
            assert_eq!(inline_image(&file(media_type, url)).is_some(), shown, "{url}")
        };
        check("image/png", "data:image/png;base64,AA==", true);
        check("IMAGE/PNG", "data:image/PNG;base64,AA==", true);
        check("image/png", "https://example.org/a.png", false);
        check("image/png", "data:image/svg+xml,<svg/>", false);
        check("image/svg+xml", "data:image/svg+xml,<svg/>", false);
        check("text/plain", "data:image/png;base64,AA==", false);
    }
}
