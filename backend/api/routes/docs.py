"""The page of the API's documentation. Its script and style are built with the other pages, from a locked package."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

router = APIRouter()
PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API · Hexarena</title>
    <link rel="icon" href="/favicon.svg">
    <link rel="stylesheet" href="/vendor/swagger-ui.css">
    <script defer src="/vendor/swagger-ui-bundle.js"></script>
    <script defer src="/docs.js"></script>
  </head>
  <body>
    <div id="docs"></div>
    <noscript>This page needs JavaScript. The same as data: <a href="/api/v1/openapi.json">openapi.json</a></noscript>
  </body>
</html>
"""


@router.get("/docs", response_class=HTMLResponse, include_in_schema=False)
def get_docs() -> str:
    """Every operation, to read and to try."""
    return PAGE
