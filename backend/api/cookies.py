"""Names of the cookies by which a browser is known: a guest's, signed with the id, and that of an account's session."""

COOKIE = "hexarena_user"
SESSION_COOKIE = "hexarena_session"
