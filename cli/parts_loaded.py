"""Imported by the fork server of `cli.parts`, before its first fork."""

from hexarena.cli.parts import import_all

import_all()
