"""`hexarena dev`: a match of a game under development, played and shown again at each save.

The command's process never imports the game: rules and bots run in a process of their own for each match (`jobs`), so
that nothing of an older version is left. `rounds` decides what to do when files have changed, `state` is what the page
shows, and `server` serves it.
"""
