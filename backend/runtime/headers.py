"""Headers of every answer: what a browser may do with it. `hexarena watch` and the arena send the same."""

from __future__ import annotations

from collections.abc import Mapping

_NOWHERE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
# CodeMirror and Svelte write style elements and attributes while they run; scripts come from files of ours alone.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    f"font-src 'self' data:; connect-src 'self'; {_NOWHERE}"
)
"""Of HTML."""
EMBED_POLICY = PAGE_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
"""Of the one page that other sites may show in a frame. It shows what everybody may see, and writes nothing."""
DATA_POLICY = f"default-src 'none'; style-src 'unsafe-inline'; {_NOWHERE}"
"""Of everything else: it may be shown, a picture with its own styles, but runs and loads nothing."""
COMMON: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def safety_headers(content_type: str, *, framed: bool = False) -> dict[str, str]:
    """The headers of an answer of this type. `framed`: other sites may show it in a frame."""
    if framed:
        open_to_all = {"Content-Security-Policy": EMBED_POLICY, "Cross-Origin-Resource-Policy": "cross-origin"}
        return {name: value for name, value in COMMON.items() if name != "X-Frame-Options"} | open_to_all
    policy = PAGE_POLICY if content_type.startswith("text/html") else DATA_POLICY
    return {"Content-Security-Policy": policy, **COMMON}
