"""What each endpoint does, for the table of permissions (`accounts.permissions`). One that is missing here fails."""

from __future__ import annotations

from collections.abc import Mapping

from hexarena.backend.accounts.permissions import Action

_OPERATIONS: Mapping[Action, str] = {
    Action.READ: """
        list_languages list_games get_game list_starters get_picture get_leaderboard get_past_leaderboard
        get_ladder get_matchups list_lessons get_attempt list_batches get_batch get_history list_opponents
        explain_rating list_seasons get_season get_submission get_source list_files list_bots get_bot get_person
        list_versions get_me list_matches
        list_endings get_match draw_match get_replay get_seat_io list_duels get_duel list_events get_event
        get_event_stage
        get_event_ladder get_event_pairing get_event_heat get_event_table get_event_file get_event_certificate
        list_announcements list_classes get_class stream_feed stream_match get_health get_ready get_docs
        list_in_person get_in_person get_retention
    """,
    Action.SIGN_IN: "get_sign_in_options sign_up sign_in sign_in_by_code sign_out start_oidc finish_oidc",
    Action.PLAY: """
        create_match create_attempt create_batch stop_batch create_duel cancel_duel
        create_in_person reply_in_person resign_in_person
    """,
    Action.SUBMIT: """
        create_submission upload_submission describe_submission restore_submission delete_bot delete_source
        enter_event leave_event
    """,
    Action.RENAME: "change_me",
    Action.READ_EDITOR: "get_draft",
    Action.KEEP_EDITOR: "save_draft",
    Action.OWN: """
        list_sessions list_tokens export_me list_notices mark_notices_seen get_webhook list_webhook_deliveries
    """,
    Action.ACCOUNT: """
        change_password end_session end_other_sessions create_token revoke_token
        set_webhook remove_webhook renew_webhook_secret test_webhook redeliver_to_webhook leave_team give_bot_to_team
    """,
    Action.LEAVE: "delete_me",
    Action.ORGANISE_EVENT: """
        preview_event change_event renew_event_code cancel_event release_event pause_event continue_event
        disqualify_entry resume_event_pairing resume_event_heat name_event_organiser remove_event_organiser
        get_audit_log get_event_certificates create_announcement withdraw_announcement annul_match rerun_match
    """,
    Action.ORGANISE: """
        get_status get_faults list_users change_user list_invites create_invite revoke_invite create_event
        freeze_ladder thaw_ladder start_season ban_user unban_user
        create_class
    """,
    Action.JOIN: "join_arena",
    Action.ORGANISE_CLASS: """
        change_class delete_class name_class_organiser remove_class_organiser
        import_roster list_class_members move_class_member remove_class_member
        renew_class_codes create_class_team create_assignment move_assignment delete_assignment extend_assignment
        list_extensions get_marks make_marks play_for_marks
        compare_sources list_similarity_reports get_similarity_report get_similar_pair
    """,
}
ACTIONS: Mapping[str, Action] = {name: action for action, names in _OPERATIONS.items() for name in names.split()}
"""Operation -> action."""
