"""Duels on the server: which matches they play, and when they end."""
