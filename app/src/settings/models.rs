//! Which models can be chosen, from whom, and where more are configured.

use super::answer::answer;
use crate::format::counted;
use leptos::prelude::*;
use protocol::{ModelList, ProviderInfo};

#[component]
pub fn ModelsSection() -> impl IntoView {
    view! {
        <h2>"Models"</h2>
        {answer("/models", "Asking the providers…", shown)}
        <h3>"Connect more"</h3>
        <p class="panel-note">
            "Models come from the server’s configuration, so that keys never reach a page: "<code>"bough.toml"</code>
            " (or the variables "<code>"BOUGH_OPENAI_BASE_URL"</code>", "<code>"BOUGH_OPENAI_API_KEY"</code>" and "
            <code>"BOUGH_MODEL"</code>"), a vendor’s usual variable such as "<code>"ANTHROPIC_API_KEY"</code>
            ", or a model server on the same machine, which is found by itself. "<code>"bough check"</code>" shows what holds."
        </p>
    }
}

fn shown(list: &ModelList) -> AnyView {
    let cards = list.providers.iter().map(|provider| card(provider, list)).collect::<Vec<_>>();
    view! {
        <p>"A new chat is answered by "<code>{list.default.clone()}</code>". Each chat can have another, chosen above its message box."</p>
        <div class="cards">{cards}</div>
    }
    .into_any()
}

/// One provider: where it is, the hint of its key, and its models or what hinders it.
fn card(provider: &ProviderInfo, list: &ModelList) -> AnyView {
    let names = list.models.iter().filter(|model| model.provider == provider.name);
    let names: Vec<_> =
        names.map(|model| view! { <li><code>{model.name.clone()}</code></li> }.into_any()).collect();
    let count = counted(names.len() as u64, "model");
    let key =
        provider.key_hint.clone().map(|hint| view! { <span class="tag">"key "{hint}</span> }.into_any());
    let problem = provider.problem.clone();
    let problem =
        problem.map(|problem| view! { <p class="form-problem" dir="auto">{problem}</p> }.into_any());
    let address = provider.base_url.clone().map(|url| view! { <p class="panel-note">{url}</p> }.into_any());
    view! {
        <section class="card">
            <h3>{provider.name.clone()}</h3>
            {key}
            {address}
            {problem}
            <details><summary>{count}</summary><ul>{names}</ul></details>
        </section>
    }
    .into_any()
}
