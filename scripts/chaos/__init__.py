"""`make chaos`: matches while everything that an arena consists of is killed, stopped, emptied, filled and cut off.

Theory of operation: an arena of its own, in a folder on a small disk, with servers and parts that are children of this
process (`arena`). A deck of faults (`faults`) is shuffled by the seed and played through, again and again, while
matches are posted (`running`); whatever ended is started again, as the supervisor does. When all matches are over and
nothing is in the queue, the arena is stopped, and everything that docs/architecture.md promises is checked by SQL and
by files (`checks`). A second arena has a worker on a machine elsewhere, in a network namespace, whose line is cut
(`network`).
"""
