"""Unrated matches of code in the editor: lessons that teach a game, batches against several bots, forks."""
