//! The versions of a block, newest first.

use super::deeds::Memory;
use super::version::VersionRow;
use crate::ui::when::follow;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::BlockVersion;

/// The history; read when it is opened, and again when the block has changed.
#[component]
pub fn History(memory: Memory, label: StoredValue<String>) -> impl IntoView {
    let versions = RwSignal::new(None);
    let number = Memo::new(move |_| memory.block(&label.get_value()).map(|block| block.version));
    follow(move || {
        number.track();
        spawn_local(async move {
            let read = memory.versions(label.get_value()).await;
            let _left = versions.try_set(Some(read));
        });
    });
    let row = move |(version, before): (BlockVersion, Option<u64>)| {
        view! { <VersionRow memory label version before/> }.into_any()
    };
    view! {
        {move || match versions.get()? {
            Err(failure) => Some(view! { <p class="panel-note" role="alert">{failure}</p> }.into_any()),
            Ok(list) if list.is_empty() => Some(view! { <p class="panel-note">"Never changed."</p> }.into_any()),
            Ok(list) => {
                let rows = with_before(list).into_iter().map(row).collect::<Vec<_>>();
                Some(view! { <ol class="history">{rows}</ol> }.into_any())
            }
        }}
    }
}

/// Each version with the number of the one before it.
fn with_before(list: Vec<BlockVersion>) -> Vec<(BlockVersion, Option<u64>)> {
    let before: Vec<_> = list.iter().skip(1).map(|version| Some(version.version)).chain([None]).collect();
    list.into_iter().zip(before).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Author;

    #[test]
    fn each_version_is_compared_with_the_one_before_it() {
        let version = |version| BlockVersion { version, author: Author::User, written_at: 1, content: None };
        let list = [version(7), version(4), version(0)].to_vec();
        let expected = vec![(version(7), Some(4)), (version(4), Some(0)), (version(0), None)];
        assert_eq!(with_before(list), expected);
    }
}
