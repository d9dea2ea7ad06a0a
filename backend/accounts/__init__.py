"""Who somebody is, and what he may do: names, passwords, sessions, tokens, invitations, permissions."""
