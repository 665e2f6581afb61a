//! The stories of this crate, told through its public doors, one module a subject.

#[cfg(test)]
mod block_chance;
#[cfg(test)]
mod blocks;
#[cfg(test)]
mod bounded;
#[cfg(test)]
mod calls;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod compact;
#[cfg(test)]
mod compact_chance;
#[cfg(test)]
mod context;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod crowd;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod doctor_chance;
#[cfg(test)]
mod doctor_codes;
#[cfg(test)]
mod exchange;
#[cfg(test)]
mod family;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod folded;
#[cfg(test)]
mod history_tool;
#[cfg(test)]
mod import;
#[cfg(test)]
mod import_memory;
#[cfg(test)]
mod intake;
#[cfg(test)]
mod manager;
#[cfg(test)]
mod message_trash;
#[cfg(test)]
mod odd_ids;
#[cfg(test)]
mod outline;
#[cfg(test)]
mod overlays;
#[cfg(test)]
mod prompt;
#[cfg(test)]
mod random;
#[cfg(test)]
mod reports;
#[cfg(test)]
mod search;
#[cfg(test)]
mod search_chance;
#[cfg(test)]
mod search_hostile;
#[cfg(test)]
mod session_names;
#[cfg(test)]
mod shelves;
#[cfg(test)]
mod skills;
#[cfg(test)]
mod support;
#[cfg(test)]
mod text;
#[cfg(test)]
mod trash;
#[cfg(test)]
mod tree;
#[cfg(test)]
mod upgrade;
#[cfg(test)]
mod versions;
#[cfg(test)]
mod waiting;
#[cfg(test)]
mod worlds;
