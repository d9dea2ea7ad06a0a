"""What each endpoint does, for the table of permissions (`accounts.permissions`). One that is missing here fails."""

from __future__ import annotations

from collections.abc import Mapping

from hexarena.backend.accounts.permissions import Action

_OPERATIONS: Mapping[Action, str] = {
    Action.READ: """
        list_languages list_games get_game list_starters get_picture get_leaderboard get_past_leaderboard
        get_ladder get_matchups list_lessons get_attempt list_batches get_batch get_history list_opponents
        explain_rating get_submission get_source list_files list_bots get_bot get_person get_me list_matches
        list_endings get_match get_replay get_seat_io list_duels get_duel stream_events stream_match get_health
        get_ready get_docs list_in_person get_in_person get_retention
    """,
    Action.SIGN_IN: "get_sign_in_options sign_up sign_in sign_out start_oidc finish_oidc",
    Action.PLAY: """
        create_match create_attempt create_batch stop_batch create_duel cancel_duel
        create_in_person reply_in_person resign_in_person
    """,
    Action.SUBMIT: """
        create_submission upload_submission describe_submission restore_submission delete_bot delete_source
    """,
    Action.RENAME: "change_me",
    Action.OWN: """
        list_sessions list_tokens export_me list_notices mark_notices_seen get_webhook list_webhook_deliveries
    """,
    Action.ACCOUNT: """
        get_draft save_draft change_password end_session end_other_sessions create_token revoke_token
        set_webhook remove_webhook renew_webhook_secret test_webhook redeliver_to_webhook
    """,
    Action.LEAVE: "delete_me",
    Action.ORGANISE: "get_status list_users change_user list_invites create_invite revoke_invite",
}
ACTIONS: Mapping[str, Action] = {name: action for action, names in _OPERATIONS.items() for name in names.split()}
"""Operation -> action."""
