"""Who somebody is, and what they may do: names, passwords, sessions, tokens, invitations, permissions."""
