"""The extra of the package that environments need."""

from __future__ import annotations

from importlib.util import find_spec

MODULES = ("numpy", "gymnasium", "pettingzoo")


class MissingExtra(ImportError):
    """A library of the extra is not installed. The message says how to install it."""


def require_extra() -> None:
    """Raises: MissingExtra."""
    missing = [name for name in MODULES if not _is_there(name)]
    if missing:
        raise MissingExtra(f"expected the extra: pip install 'hexarena[env]'; not installed: {', '.join(missing)}")


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ValueError:  # a module without a spec, e.g. None in its place
        return False
