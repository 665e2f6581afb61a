//! Which models are offered for what was typed, by provider, and where keys lead among them. Pure.

use protocol::ModelList;

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What a session is set to; none leaves it to the agent.
    pub name: Option<String>,
    /// What is shown.
    pub label: String,
    /// What stands above it, where it is the first of its provider.
    pub heading: Option<String>,
}

/// The offers for `typed`: the agent's own choice, which is called `usual`, first, then every provider's
/// models.
pub fn offers(list: &ModelList, usual: &str, typed: &str) -> Vec<Offer> {
    let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
    let fits = |text: &str| {
        let text = text.to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    };
    let label = format!("Default ({usual})");
    let default = fits(&label).then_some(Offer { name: None, label, heading: None });
    let mut offers: Vec<Offer> = default.into_iter().collect();
    let mut provider = None;
    for model in list.models.iter().filter(|model| fits(&model.name)) {
        let heading = (provider != Some(&model.provider)).then(|| model.provider.clone());
        provider = Some(&model.provider);
        let own = model.name.strip_prefix(&model.provider).and_then(|name| name.strip_prefix('/'));
        let label = own.unwrap_or(&model.name).to_owned();
        offers.push(Offer { name: Some(model.name.clone()), label, heading });
    }
    offers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> ModelList {
        serde_json::from_value(serde_json::json!({
            "default": "openai/big",
            "models": [
                { "name": "openai/big", "provider": "openai" },
                { "name": "openai/org/small", "provider": "openai" },
                { "name": "builtin/guide", "provider": "builtin" },
            ],
        }))
        .expect("a list")
    }

    #[track_caller]
    fn check(typed: &str, expected: &[&str]) {
        let tell = |offer: Offer| match offer.heading {
            Some(heading) => format!("{heading}: {}", offer.label),
            None => offer.label,
        };
        assert_eq!(offers(&list(), "big", typed).into_iter().map(tell).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn models_stand_below_their_provider() {
        check("", &["Default (big)", "openai: big", "org/small", "builtin: guide"]);
        check("OPENAI sma", &["openai: org/small"]);
        check("guide", &["builtin: guide"]);
        check("default", &["Default (big)"]);
        check("nothing like it", &[]);
    }
}
