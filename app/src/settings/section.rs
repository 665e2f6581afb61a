//! The sections of the settings. Pure.

/// A section.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Section {
    /// Which models there are.
    #[default]
    Models,
    /// What the agent is.
    Agent,
    /// How the page looks.
    Appearance,
    /// Its keys.
    Shortcuts,
    /// Export, import, archive, trash, doctor.
    Data,
}

impl Section {
    /// All, from left to right.
    pub const ALL: [Self; 5] = [Self::Models, Self::Agent, Self::Appearance, Self::Shortcuts, Self::Data];

    /// What it is called.
    pub fn label(self) -> &'static str {
        match self {
            Self::Models => "Models",
            Self::Agent => "Agent",
            Self::Appearance => "Appearance",
            Self::Shortcuts => "Shortcuts",
            Self::Data => "Data",
        }
    }

    /// The end of its address.
    pub fn segment(self) -> &'static str {
        match self {
            Self::Models => "models",
            Self::Agent => "agent",
            Self::Appearance => "appearance",
            Self::Shortcuts => "shortcuts",
            Self::Data => "data",
        }
    }

    /// The one at an address; the first where none is named.
    pub fn parse(segment: &str) -> Self {
        Self::ALL.into_iter().find(|section| section.segment() == segment).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_has_an_address_of_its_own() {
        for section in Section::ALL {
            assert_eq!(Section::parse(section.segment()), section);
        }
        assert_eq!((Section::parse(""), Section::parse("zoo")), (Section::Models, Section::Models));
    }
}
