"""The similarity report of a class: sources as tokens, and what pairs of them have in common (docs/decisions/0048).

`program` and `matching` run in the sandbox, as one zip with Pygments; `job` feeds them, and stores what they find.
"""
