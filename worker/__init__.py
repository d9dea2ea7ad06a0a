"""Plays matches: the scheduler plans them, the dispatcher sends them, workers play them; ratings are refitted."""
