"""What organisers do to an arena that runs: announce, freeze, ban, void. All of it is in the audit log."""
