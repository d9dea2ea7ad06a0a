"""`hexarena pool …`: a folder of bots that play each other on this machine, paired and rated like the arena's ladder.

Theory of operation: all that a pool knows is in one file of its folder, `pool.jsonl`, which only grows (`log`). A pool
is what these lines add up to (`state`), its ratings are a fit of all its results (`ranking`), so it may be killed at
any time, and bots may come and go while it runs: the command that adds one appends a line, and the running pool reads
it. Bots stay where their authors edit them; a file with another digest is a new version (`bots`). `run` plays.
"""
