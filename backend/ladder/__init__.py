"""The ladder: pairing and scheduling, rules of the leagues, the board, and the refits that count results."""
