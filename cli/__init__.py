"""The command line: `hexarena …`. It imports all packages below it; only `environments` imports it."""
