"""`hexarena new-game`: writes a small game that runs, to be changed into another one."""
