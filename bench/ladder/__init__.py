"""`hexarena bench ladder`: a simulated ladder with known strengths, for our own rater and pairer and for others'.

Theory of operation: a `World` knows how strong each bot is and plays games by chance. A `Contestant` says who plays
whom, sees the results, and keeps a board. The board is compared with the truth, which the contestant never sees.
The experiments (`static`, `newcomer`, `season` …) are lists of `Job`s; each job is a function of its arguments and its
seed, so that it does not matter in which process or order jobs run.
"""
