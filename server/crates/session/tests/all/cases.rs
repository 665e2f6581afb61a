//! Which test shows which acceptance case: the parity and improvement cases of the session layer, and the reports about
//! other programs that concern storage, search, memory and compaction. No case may lose its test unnoticed.

use testkit::{Cases, check_cases};

/// Each case of the session layer, and the tests that show it.
const CASES: &Cases = &[
    ("T1", &["a_session_begins_empty_and_grows_at_its_active_leaf"]),
    ("T2", &["the_first_content_and_parent_of_an_id_win_and_nothing_moves"]),
    ("T4", &["a_second_answer_is_a_sibling_and_becomes_active"]),
    ("T6", &["another_root_is_another_beginning"]),
    ("T8", &["any_message_has_a_path_and_an_unknown_one_has_none"]),
    ("T11", &["a_restart_changes_nothing"]),
    (
        "T13",
        &[
            "clearing_one_session_leaves_the_others",
            "a_cleared_session_has_no_summaries_and_a_restored_one_has",
            "blocks_survive_a_clear_follow_a_session_into_the_trash",
        ],
    ),
    ("H1", &["the_end_of_a_path_fits_its_budget", "sizes_are_those_of_the_stored_json"]),
    ("C1", &["a_summary_stands_for_its_range_and_has_no_row"]),
    ("C2", &["several_summaries_stand_as_the_table_says_and_all_are_listed"]),
    (
        "C4",
        &["several_summaries_stand_as_the_table_says_and_all_are_listed", "overlays_stand_as_the_table_says"],
    ),
    ("C6", &["a_range_must_lie_on_one_path", "overlays_stand_as_the_table_says"]),
    (
        "C10",
        &[
            "what_a_summary_stands_for_is_found_and_the_summary_is_not",
            "a_summary_stands_for_its_range_and_has_no_row",
        ],
    ),
    ("M1", &["somebody_must_be_set_up_and_may_find_nothing_to_do"]),
    ("M3", &["a_new_summary_begins_where_the_first_one_does"]),
    ("A1", &["a_prompt_that_outgrows_its_room_is_compacted_by_itself"]),
    ("A4", &["a_counter_of_ones_own_counts_and_a_failing_summariser_harms_nothing"]),
    ("F1", &["a_short_conversation_asks_nobody", "the_middle_is_what_the_worked_values_say"]),
    ("F3", &["the_middle_is_summarised_and_the_ends_are_not_shown"]),
    ("F6", &["calls_show_their_arguments_and_what_came_of_them"]),
    ("K1", &["texts_count_by_characters_or_words"]),
    ("B1", &["the_prompt_is_rendered_to_the_letter"]),
    ("B3", &["a_block_keeps_its_limit_on_every_way_in"]),
    ("B6", &["sessions_keep_their_blocks_apart_and_an_agents_block_is_shared"]),
    ("P1", &["a_frozen_prompt_reads_its_providers_only_when_refreshed"]),
    ("P2", &["a_cached_prompt_outlives_handles_and_restarts"]),
    (
        "X1",
        &["only_tools_that_some_block_has_a_use_for_are_offered", "schemas_name_the_blocks_a_tool_is_for"],
    ),
    ("X2", &["set_context_writes_and_says_how_full_the_block_is"]),
    ("X5", &["skills_are_loaded_and_unloaded_by_the_model"]),
    ("S1", &["loaded_skills_are_found_in_the_conversation_and_every_copy_is_reclaimed"]),
    (
        "S4",
        &[
            "a_prefix_and_an_allow_list_narrow_what_is_seen_but_not_what_is_written",
            "a_key_that_is_not_allowed_never_touches_the_store",
        ],
    ),
    ("Q1", &["words_are_found_in_any_form_and_nothing_is_an_error"]),
    ("Q5", &["the_tool_gives_who_said_what"]),
    ("G1", &["a_session_is_made_named_and_counted"]),
    (
        "G2",
        &[
            "an_unknown_session_is_no_error",
            "a_session_comes_back_from_the_trash_as_it_was",
            "the_index_follows_every_change",
        ],
    ),
    ("G3", &["a_fork_copies_the_path_and_leaves_the_old_session_alone"]),
    ("R1", &["old_texts_are_cut_and_the_last_four_messages_stay"]),
    ("R3", &["results_keep_their_shape"]),
    (
        "N1",
        &["long_results_are_shortened_and_named", "long_texts_are_replaced_by_their_beginning_oldest_first"],
    ),
    ("N4", &["stale_marks_and_empty_reasoning_go"]),
    (
        "Y1",
        &[
            "a_block_with_a_text_from_the_start_is_in_the_first_prompt",
            "blocks_take_the_place_of_the_plain_prompt",
        ],
    ),
    (
        "Y2",
        &[
            "regenerating_twice_gives_three_versions_and_keeps_earlier_turns",
            "a_new_version_stands_beside_the_old_one",
        ],
    ),
    ("I3", &["what_answers_a_summary_goes_below_the_end_of_its_range"]),
    ("I5", &["a_new_version_stands_beside_the_old_one"]),
    ("I6", &["clearing_one_session_leaves_the_others"]),
    ("I9", &["calls_show_their_arguments_and_what_came_of_them"]),
];

/// Each report that concerns what is stored, and the tests that show that ours does better.
const REPORTS: &Cases = &[
    (
        "B01",
        &[
            "twenty_questions_from_two_tabs_at_once_make_one_line",
            "messages_that_arrive_together_are_all_stored_in_one_line",
        ],
    ),
    ("B08", &["one_of_thirty_sessions_leaves_the_list_alone"]),
    ("C01", &["a_new_version_stands_beside_the_old_one"]),
    (
        "C03",
        &[
            "a_message_is_edited_without_a_turn_and_keeps_what_was_below_it",
            "going_back_to_a_branch_leads_to_where_one_left_it",
        ],
    ),
    (
        "C04",
        &[
            "a_message_is_edited_without_a_turn_and_keeps_what_was_below_it",
            "an_update_changes_the_content_only",
        ],
    ),
    ("C06", &["versions_of_any_number_survive_a_restart"]),
    (
        "C08",
        &[
            "versions_of_any_number_survive_a_restart",
            "regenerating_twice_gives_three_versions_and_keeps_earlier_turns",
        ],
    ),
    (
        "C11",
        &[
            "versions_of_any_number_survive_a_restart",
            "an_edited_question_is_a_version_beside_the_old_one_and_is_answered",
        ],
    ),
    ("C13", &["an_edited_question_is_a_version_beside_the_old_one_and_is_answered"]),
    ("C15", &["without_the_last_version_the_one_before_it_is_shown"]),
    (
        "C18",
        &[
            "messages_that_come_while_an_answer_is_written_are_all_reachable",
            "a_queued_question_hangs_below_the_answer_before_it",
        ],
    ),
    (
        "C19",
        &[
            "pointers_that_lead_nowhere_are_set_right",
            "a_lost_active_leaf_is_replaced_by_the_latest_and_stays_repaired",
            "a_window_full_of_broken_rows_goes_further_up",
        ],
    ),
    ("C21", &["order_comes_from_parents_whatever_ids_and_clocks_say"]),
    ("C23", &["looking_at_another_branch_is_told_to_every_tab_and_the_next_question_goes_there"]),
    ("C25", &["a_parent_may_arrive_late_and_no_order_changes"]),
    (
        "D01",
        &[
            "long_tool_results_are_compacted_once_and_the_prefix_stays",
            "a_long_conversation_is_summarised_once_before_a_turn",
        ],
    ),
    (
        "D04",
        &[
            "older_steps_of_a_running_turn_keep_their_calls_with_short_results",
            "old_results_of_a_running_answer_give_way",
        ],
    ),
    (
        "D06",
        &[
            "each_message_of_a_request_says_where_it_comes_from",
            "a_border_never_divides_calls_from_their_results",
        ],
    ),
    (
        "D08",
        &[
            "long_tool_results_are_compacted_once_and_the_prefix_stays",
            "a_long_conversation_is_summarised_once_before_a_turn",
        ],
    ),
    ("D10", &["a_refused_prompt_is_made_shorter_once", "a_prompt_that_is_too_long_is_tried_once_more"]),
    (
        "E01",
        &[
            "a_block_keeps_its_limit_on_every_way_in",
            "a_full_block_says_its_numbers",
            "a_full_block_is_told_to_the_model_and_to_people",
            "what_is_imported_keeps_to_the_limits_of_every_write_in_the_same_words",
        ],
    ),
    ("E02", &["a_full_block_is_told_to_the_model_and_to_the_person"]),
    ("E05", &["a_long_block_is_kept_whole_in_every_version"]),
    ("F01", &["punctuation_never_breaks_a_search"]),
    ("F04", &["any_piece_of_a_text_without_spaces_is_found", "any_piece_of_a_word_is_found"]),
    (
        "F07",
        &[
            "every_branch_is_found_and_a_hit_says_where_it_stands",
            "the_tool_finds_other_branches_and_says_so",
        ],
    ),
    ("H01", &["an_edit_among_many_images_writes_one_row"]),
    ("H04", &["odd_characters_are_stored_and_found", "unknown_fields_nul_and_every_kind_of_text_come_back"]),
    ("H06", &["many_readers_and_writers_never_meet_a_lock"]),
];

/// Where tests of the workspace stand, from this crate.
const PLACES: [&str; 4] = ["../../../app", "../../src", "../../tests", "../"];

#[test]
fn every_case_is_shown_by_a_test_that_exists() {
    check_cases(env!("CARGO_MANIFEST_DIR"), &PLACES, &[CASES, REPORTS]);
}
