//! The engine: one actor per session, a pure turn machine, its driver, streams that resume.
