"""`hexarena referee`: our rules behind the command line of CodinGame's game engine, for the tools that expect it."""
