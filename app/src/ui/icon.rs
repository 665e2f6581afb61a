//! One family of signs: strokes of one width on a 20-pixel square, in the colour of the text around them.

use leptos::prelude::*;

/// Which sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A plus.
    Plus,
    /// Three lines.
    Menu,
    /// Three dots.
    More,
    /// A pencil.
    Pencil,
    /// A bin.
    Bin,
    /// A cross.
    Close,
    /// Two sheets.
    Copy,
    /// A tick.
    Tick,
    /// An arrow that comes round.
    Retry,
    /// An arrow up.
    Up,
    /// An arrow down.
    Down,
    /// A filled square.
    Stop,
    /// A sun.
    Sun,
    /// A moon.
    Moon,
    /// A screen.
    Screen,
    /// A triangle with a bar.
    Warning,
    /// An angle that opens to the right.
    Chevron,
    /// A spanner.
    Tool,
    /// Two links of a chain.
    Link,
    /// A branch that leaves a line.
    Fork,
    /// A pin.
    Pin,
    /// A box with a lid.
    Box,
    /// Two slides.
    Slides,
    /// A window with a region at its left.
    Sidebar,
    /// A lens.
    Search,
    /// A window with a region at its right.
    Panel,
    /// A paper clip.
    Clip,
    /// A sheet.
    File,
    /// Two columns.
    Columns,
    /// Two lines that come together.
    Fold,
    /// Two lines that part.
    Unfold,
}

impl Shape {
    /// The strokes.
    fn path(self) -> &'static str {
        match self {
            Self::Plus => "M10 4.5v11M4.5 10h11",
            Self::Menu => "M3.5 6h13M3.5 10h13M3.5 14h13",
            Self::More => "M4.6 10h.01M10 10h.01M15.400 10h.01",
            Self::Pencil => "M12.500 4.500l3 3L7 16H4v-3zM11 6l3 3",
            Self::Bin => "M4 6h12M8 6V4h4v2M5.500 6l.8 10h7.400l.8-10M8.500 9v4.500M11.500 9v4.500",
            Self::Close => "M5.500 5.500l9 9M14.500 5.500l-9 9",
            Self::Copy => "M7.500 7.500h8v8h-8zM12.500 7.500v-3h-8v8h3",
            Self::Tick => "M4.500 10.500l3.500 3.500 7.500-8",
            Self::Retry => "M15.500 10a5.500 5.500 0 1 1-1.700-4M15.500 3v3.500H12",
            Self::Up => "M10 16V4.500M5 9.500l5-5 5 5",
            Self::Down => "M10 4v11.500M5 10.500l5 5 5-5",
            Self::Stop => "M6.500 6.500h7v7h-7z",
            Self::Sun => {
                "M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM10 2.500V4M10 16v1.500M2.500 10H4M16 10h1.500M4.700 4.700l1 1M14.300 14.300l1 1M4.700 15.300l1-1M14.300 5.700l1-1"
            }
            Self::Moon => "M16 11.700A6.500 6.500 0 0 1 8.300 4a6.500 6.500 0 1 0 7.700 7.700z",
            Self::Screen => "M3.500 4.500h13v8.500h-13zM7.500 16h5M10 13v3",
            Self::Warning => "M10 3.500l7 12.500H3zM10 8.500v3.500M10 14.200h.01",
            Self::Chevron => "M8 5.500l4.500 4.500L8 14.500",
            Self::Tool => {
                "M12.500 3.800a4 4 0 0 0-4 5.400l-5 5 2.300 2.300 5-5a4 4 0 0 0 5.300-5l-2.300 2.300-2.400-.6-.6-2.400z"
            }
            Self::Fork => "M6 4v12M6 12c0-3 8-2 8-6M14 3.500v3",
            Self::Pin => "M7.500 3.500h5M8.500 3.500v5l-2.500 3h8l-2.500-3v-5M10 11.500V17",
            Self::Box => "M3.500 4.500h13v3h-13zM4.500 7.500v8h11v-8M8.500 10.500h3",
            Self::Slides => {
                "M3.500 7h7.500M14.500 7h2M12.500 5.200v3.600M3.500 13h2M9 13h7.500M7.500 11.200v3.600"
            }
            Self::Sidebar => "M3.500 4.500h13v11h-13zM8 4.500v11",
            Self::Search => "M13 13l3.500 3.500M14.500 9a5.500 5.500 0 1 1-11 0 5.500 5.500 0 0 1 11 0z",
            Self::Panel => "M3.500 4.500h13v11h-13zM12 4.500v11",
            Self::Clip => {
                "M14.500 9.500l-5 5a3 3 0 0 1-4.300-4.300l6-6a2 2 0 0 1 2.900 2.900l-5.700 5.700a.8.8 0 0 1-1.200-1.200l4.800-4.800"
            }
            Self::File => "M5.500 3.500h6l3.500 3.500v9.500h-9.500zM11.500 3.500V7H15",
            Self::Columns => "M3.500 4.500h5.500v11H3.500zM11 4.500h5.500v11H11z",
            Self::Fold => {
                "M4 10h12M10 2.500V7M7.500 5L10 7.500 12.500 5M10 17.500V13M7.500 15l2.500-2.500 2.500 2.500"
            }
            Self::Unfold => {
                "M4 10h12M10 7V2.500M7.500 5L10 2.500 12.500 5M10 13v4.500M7.500 15l2.500 2.500 2.500-2.500"
            }
            Self::Link => {
                "M8.500 11.500l3-3M9 6.500l1.800-1.800a3.200 3.200 0 0 1 4.500 4.500L13.500 11M11 13.500l-1.800 1.800a3.200 3.200 0 0 1-4.500-4.500L6.500 9"
            }
        }
    }

    fn is_filled(self) -> bool {
        self == Self::Stop
    }
}

/// A sign. Silent: whatever it stands in says in words what it is.
#[component]
pub fn Icon(
    /// Which sign.
    shape: Shape,
) -> impl IntoView {
    let fill = if shape.is_filled() { "currentColor" } else { "none" };
    let class = if shape == Shape::Chevron { "icon is-chevron" } else { "icon" };
    let width = if shape == Shape::More { "2.4" } else { "1.5" };
    view! {
        <svg
            class=class
            viewBox="0 0 20 20"
            fill=fill
            stroke="currentColor"
            stroke-width=width
            stroke-linecap="round"
            stroke-linejoin="round"
            aria-hidden="true"
        >
            <path d=shape.path()></path>
        </svg>
    }
}
