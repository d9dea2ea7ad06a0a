"""The command line: `hexarena …`. It imports all other packages; none of them imports it."""
