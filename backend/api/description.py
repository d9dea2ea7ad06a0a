"""What the API's description says of all operations: the errors that each can answer with, their headers, and texts
without NUL.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hexarena.backend.api.schemas import Problem

DOCUMENTED: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": description, "content": {"application/problem+json": {}}}
    for status, description in {
        400: "The request cannot be read",
        401: "Sign in first, or the cookie or token is not valid",
        403: "Not allowed to you, or it belongs to somebody else",
        404: "Not found",
        409: "The current state does not allow it",
        408: "The request took too long to arrive",
        413: "Too large",
        421: "The host's name is none of this arena's",
        422: "A value makes no sense",
        429: "Too much at once",
        503: "Something that we depend on is unavailable",
        507: "The arena's disk is full: nothing new is taken",
    }.items()
}
"""Status -> what the description says of it."""
HEADERS = {
    "Retry-After": "Seconds after which it makes sense to try again.",
    "RateLimit": 'The limit that was reached, if it has a name: `"duels-of-yours";r=0;t=10`.',
    "RateLimit-Policy": 'What that limit allows: `"duels-of-yours";q=2;qu="concurrent-requests"`.',
}
"""Those of a 429."""
DOCUMENTED[429]["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in HEADERS}
OF_NAMES, OF_INPUT, OF_BODY, OF_CHANGE = (404,), (422,), (408, 413), (409,)

REFERENCE = "#/components/schemas/"
NO_NUL = r"^[^\0]*$"
_OTHER_BOUNDS = {"pattern", "enum", "const", "format"}


def narrow(description: dict[str, Any]) -> None:
    """Removes from each operation what all were given and it cannot answer. `description`: OpenAPI, changed.

    Without input nothing makes no sense, and what is only read is there; only a body can be late or too large; only a
    change can conflict. A route that is an exception documents the status itself, in words of its own.
    """
    for methods in description["paths"].values():
        for method, operation in methods.items():
            has_body = "requestBody" in operation
            never: tuple[int, ...] = () if has_body else OF_BODY
            if not has_body and not operation.get("parameters"):
                never += OF_INPUT
                never += OF_NAMES if method == "get" else ()
            if method == "get":
                never += OF_CHANGE
            responses = operation["responses"]
            for status in never:
                if responses.get(str(status), {}).get("description") == DOCUMENTED[status]["description"]:
                    del responses[str(status)]


def describe_headers(description: dict[str, Any]) -> None:
    """Adds once what all operations refer to. Changes OpenAPI."""
    description["components"]["headers"] = {
        name: {"description": said, "schema": {"type": "integer" if name == "Retry-After" else "string"}}
        for name, said in HEADERS.items()
    }


def refuse_nul(description: dict[str, Any]) -> None:
    """Says of each text that requests contain that it has no NUL, which the database cannot store. Changes OpenAPI."""
    schemas = description["components"]["schemas"]
    for methods in description["paths"].values():
        for operation in methods.values():
            bodies = [one["schema"] for one in operation.get("requestBody", {}).get("content", {}).values()]
            queries = [one["schema"] for one in operation.get("parameters", []) if one["in"] == "query"]
            for text in _texts([*bodies, *queries], schemas):
                text["pattern"] = NO_NUL


def _texts(found: list[dict[str, Any]], schemas: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schemas of texts within these that nothing but their length bounds."""
    followed = set()
    while found:
        schema = found.pop()
        if (name := schema.get("$ref", "").removeprefix(REFERENCE)) and name not in followed:
            followed.add(name)
            found.append(schemas[name])
        if schema.get("type") == "string" and not schema.keys() & _OTHER_BOUNDS:
            yield schema
        for key in ("anyOf", "oneOf", "allOf"):
            found += schema.get(key, [])
        found += schema.get("properties", {}).values()
        found += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
