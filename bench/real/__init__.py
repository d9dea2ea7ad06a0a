"""The real ladder against a round robin: variants of the house bots, the schedule, and how the two are compared."""
