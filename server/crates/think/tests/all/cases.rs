//! Which test shows which acceptance case: those of the engine, and the reports about other programs that
//! concern turns, streams and providers. No case may lose its test unnoticed.

use testkit::{Cases, check_cases};

/// Each case of the engine, and the tests that show it. What runs code of strangers (TK-094) is no part of
/// it.
const CASES: &Cases = &[
    ("TK-001", &["what_no_client_may_say_is_a_typed_error", "a_chat_request_is_read"]),
    ("TK-003", &["wrong_requests_change_nothing_and_are_answered", "a_chat_body_that_is_wrong_says_where"]),
    ("TK-006", &["a_first_answer_streams_and_stays"]),
    ("TK-007", &["a_first_answer_streams_and_stays"]),
    ("TK-008", &["other_tabs_hear_the_question_first_and_the_same_chunks"]),
    ("TK-009", &["a_first_answer_streams_and_stays"]),
    ("TK-010", &["a_second_turn_follows_the_first", "queued_turns_stay_in_one_line"]),
    ("TK-012", &["the_step_limit_ends_the_turn", "the_step_cap_ends_a_tool_loop"]),
    (
        "TK-013",
        &["without_blocks_the_system_prompt_is_the_agents", "blocks_take_the_place_of_the_plain_prompt"],
    ),
    ("TK-016", &["endings_are_honest", "an_error_in_the_stream_keeps_what_arrived"]),
    ("TK-019", &["deltas_make_one_text_that_ends_done"]),
    ("TK-020", &["provider_metadata_is_kept_and_merged"]),
    ("TK-021", &["a_call_and_its_result_are_one_part"]),
    ("TK-024", &["start_names_the_message_and_metadata_merges"]),
    ("TK-027", &["what_nobody_knows_is_reported_and_changes_nothing", "replay_skips_what_is_not_json"]),
    ("TK-028", &["preliminary_results_are_replaced_and_the_last_one_stays"]),
    (
        "TK-029",
        &[
            "a_replay_begins_and_ends_exactly_where_it_shall",
            "a_turn_of_a_hundred_thousand_pieces_is_heard_whole_by_who_comes_in_the_middle",
        ],
    ),
    ("TK-030", &["a_replay_is_read_page_by_page_as_the_socket_takes_it"]),
    (
        "TK-033",
        &[
            "streams_are_kept_for_their_time_and_go_with_their_chunks",
            "finished_streams_are_swept_after_their_time",
        ],
    ),
    ("TK-036", &["an_idle_session_has_nothing_to_resume"]),
    ("TK-037", &["a_tab_that_comes_in_mid_stream_gets_everything_once"]),
    ("TK-039", &["a_finished_stream_can_be_read_again"]),
    (
        "TK-044",
        &[
            "what_was_shown_survives_a_kill",
            "a_kill_after_any_transaction_of_a_conversation_loses_and_doubles_nothing",
        ],
    ),
    ("TK-050", &["stop_closes_the_call_and_keeps_the_part"]),
    ("TK-052", &["reset_makes_waiting_turns_stale_and_lets_the_running_one_end"]),
    (
        "TK-053",
        &["an_ended_turn_frees_the_slot_however_it_ended", "stability_waits_for_turns_and_for_people"],
    ),
    (
        "TK-054",
        &[
            "stop_closes_the_call_and_keeps_the_part",
            "a_turn_can_be_stopped_cleared_deleted_or_left_at_any_moment",
        ],
    ),
    ("TK-057", &["clear_leaves_no_trace", "a_turn_can_be_stopped_cleared_deleted_or_left_at_any_moment"]),
    (
        "TK-059",
        &[
            "the_signal_and_giving_up_both_stop_the_turn_and_keep_the_part",
            "the_signal_is_raised_when_a_turn_is_stopped_and_not_when_it_ends",
        ],
    ),
    (
        "TK-060",
        &[
            "a_message_that_is_dropped_leaves_nothing",
            "another_answer_and_another_question_in_the_middle_of_a_turn",
        ],
    ),
    ("TK-064", &["a_browsers_result_lets_the_model_go_on"]),
    ("TK-065", &["the_first_result_wins_and_buys_one_turn"]),
    ("TK-068", &["an_approval_keeps_its_id", "an_approved_call_runs_once_and_in_its_place"]),
    ("TK-071", &["answers_are_coalesced", "two_answers_make_one_continuation_and_half_a_batch_makes_none"]),
    ("TK-075", &["a_browsers_tools_are_remembered_over_a_restart_until_taken_back"]),
    ("TK-079", &["a_clients_copy_only_moves_calls_that_wait_for_somebody_outside"]),
    ("TK-080", &["a_forged_list_rewrites_nothing", "a_client_cannot_forge_or_repeat"]),
    ("TK-081", &["a_new_version_stands_beside_the_old_one"]),
    ("TK-086", &["queued_turns_stay_in_one_line", "a_second_turn_follows_the_first"]),
    ("TK-088", &["stale_marks_and_empty_reasoning_go"]),
    (
        "TK-090",
        &[
            "every_kind_of_turn_is_told_once_and_what_was_cleared_or_dropped_is_not",
            "an_agent_may_ask_on_when_it_is_told_and_may_break",
        ],
    ),
    ("TK-091", &["a_configuration_survives_a_restart_and_old_files_are_adopted_once"]),
];

/// Each report, and the tests that show that ours does better.
const REPORTS: &Cases = &[
    ("A05", &["a_hundred_cut_sockets_in_one_turn_lose_nothing"]),
    ("A06", &["stop_closes_the_call_and_keeps_the_part"]),
    ("A13", &["a_dropped_call_closes_the_connection_in_whatever_state_it_is"]),
    ("A16", &["an_answer_without_a_sign_of_completion_has_no_finish", "a_cut_stream_is_told_as_one"]),
    ("A18", &["a_kill_after_any_transaction_of_a_conversation_loses_and_doubles_nothing"]),
    ("B01", &["twenty_questions_from_two_tabs_at_once_make_one_line"]),
    ("C01", &["a_new_version_stands_beside_the_old_one"]),
    ("C13", &["an_edited_question_is_a_version_beside_the_old_one_and_is_answered"]),
    ("D04", &["old_results_of_a_running_answer_give_way"]),
    ("D06", &["a_summary_joins_the_people_beside_it"]),
    ("D08", &["a_long_conversation_is_summarised_once_before_a_turn"]),
    ("D10", &["a_prompt_that_is_too_long_is_tried_once_more", "a_refused_prompt_is_made_shorter_once"]),
    ("G01", &["streams_of_all_kinds_are_read", "comments_say_nothing"]),
    ("G03", &["borders_of_pieces_do_not_matter", "letters_arrive_whole_although_every_byte_travels_alone"]),
    ("G05", &["usage_may_stand_on_any_chunk_and_the_last_one_counts", "framing_and_usage_may_be_unusual"]),
    ("G06", &["calls_without_index_are_told_apart", "calls_without_index_and_id_are_kept_apart"]),
    ("G08", &["calls_without_id_get_one_that_lasts"]),
    ("G10", &["arguments_are_always_objects", "what_was_cut_off_or_can_mean_several_things_is_refused"]),
    (
        "G12",
        &[
            "reasoning_goes_back_only_where_the_provider_wants_it",
            "reasoning_goes_back_where_the_provider_wants_it",
        ],
    ),
    ("G13", &["usage_is_asked_for_until_it_is_refused", "numbers_are_sent_until_they_are_refused"]),
    ("H04", &["halves_in_two_pieces_are_joined"]),
    ("J08", &["a_title_that_failed_is_asked_for_after_the_next_answer"]),
    (
        "J11",
        &[
            "an_old_question_can_be_dismissed_and_blocks_no_other",
            "a_new_question_ends_what_was_agreed_to_and_not_run",
        ],
    ),
];

/// Where those tests are.
const PLACES: [&str; 3] = ["../../../app/protocol", "../../tests", "../"];

#[test]
fn every_case_is_shown_by_a_test_that_exists() {
    check_cases(env!("CARGO_MANIFEST_DIR"), &PLACES, &[CASES, REPORTS]);
}
