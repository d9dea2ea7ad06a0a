"""Statistics of results: strengths, their uncertainty, and the sequential test of a duel. Values in, values out.

`fit` is where a rating is fitted, from `counts`, by the models of `bradley_terry` (two seats) and `plackett_luce`
(more) with the solver of `newton`; `elo` is the scale, `sprt` the test.

A node is a competitor as a number: its index in the arrays of a fit.
"""
