"""`hexarena duel`: the command, the score, and the scoreboard."""
