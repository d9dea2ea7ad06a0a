"""Plays matches: the dispatcher sends leased matches, workers play them, bots run in sandboxes."""
