"""What all bodies share, and errors."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Schema(BaseModel):
    """Unknown keys are an error: a misspelt option is never silently ignored."""

    model_config = ConfigDict(extra="forbid")


class FieldError(Schema):
    """One wrong field of a request."""

    where: str
    message: str


class Problem(Schema):
    """RFC 9457: what went wrong, what was expected and what was got."""

    type: str = Field(examples=["urn:hexarena:problem:not-found"])
    title: str
    status: int
    detail: str
    expected: str | None = None
    got: str | None = None
    errors: list[FieldError] | None = None
    request_id: str | None = Field(
        default=None, description="The answer's `X-Request-Id`, which the arena's logs have."
    )
