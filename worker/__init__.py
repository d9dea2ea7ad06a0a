"""Floor 2: plays matches. The only floor that sees all the others, and so the home of the command line as well."""
