"""`hexarena bench ladder`: a simulated ladder with a known truth, for our own rater and pairer and for others'.

Theory of operation: a `World` knows how strong each bot is and plays games by chance. A `Contestant` says who plays
whom, sees the results, and keeps a board. What its board is worth is measured against the truth that it never sees.
The experiments (`static`, `newcomer`, `season` …) are lists of `Job`s; each job is a function of its arguments and its
seed, so that it does not matter in which process or order jobs run.
"""
