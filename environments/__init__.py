"""Games as environments for programs that learn: PettingZoo's for all seats, Gymnasium's for one against bots.

`hexarena.env` and `hexarena.gym_env` call `making`. `setting`: which game, how many seats, which rules. `match`: a
match of actions and observations, played by the referee's own turns. `spaces`: what a game says of them, as Gymnasium's
spaces and arrays. `table`: what both of PettingZoo's forms share. `alternating`, `simultaneous`: those forms. `single`:
the environment of one seat. `opponents`: who has the other seats.

The libraries are the extra `env`, and `extra` says so where they are missing.
"""
