"""Events: contests with a deadline, a final in stages, and a published file from which everybody can check it.

`brackets`, `swiss`, `tables`, `stages`, `games` and `draws` are pure: the published file is checked by the same code.
"""
