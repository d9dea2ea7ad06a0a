"""Classes of a course: rosters and their codes, teams that share bots, assignments, late days, marks."""
