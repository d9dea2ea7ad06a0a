"""Checks a commit's subject, for pre-commit: `commit_message.py FILE`. CONTRIBUTING.md says why."""

from __future__ import annotations

import re
import sys
from pathlib import Path

MOST_CHARACTERS = 72
EXEMPT = ("Merge ", "Revert ", "fixup! ", "squash! ", "amend! ")
"""Subjects that git writes."""
NO_VERBS = frozenset(
    "a an the this that these those it its we our my each all some no not now where when of in on for".split()  # noqa: SIM905
)
ENDS_LIKE_A_VERB_OF_ANOTHER_FORM = re.compile(r"(?:ed|ing|[^sui]s)$")
IMPERATIVES = frozenset(
    ("bring", "embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed", "spring", "swing", "string")
)
"""Verbs that end so all the same."""


def problems(message: str) -> list[str]:
    """What is wrong with a commit message's subject, in sentences; empty if nothing is."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0].rstrip() if lines else ""
    if subject.startswith(EXEMPT):
        return []
    found = []
    if len(subject) > MOST_CHARACTERS:
        found.append(f"expected a subject of at most {MOST_CHARACTERS} characters; got {len(subject)}")
    word = re.match(r"[A-Za-z]+(?= |$)", subject)
    if word is None:
        found.append(f"expected a subject that begins with a verb; got {subject[:30]!r}")
    elif not word[0][0].isupper():
        found.append(f"expected a capital letter at the beginning; got {word[0]!r}")
    elif not _is_imperative(word[0].lower()):
        found.append(f"expected a verb in the imperative, like Add, Fix or Show; got {word[0]!r}")
    if subject.endswith("."):
        found.append("expected no full stop at the end")
    if len(lines) > 1 and lines[1].strip():
        found.append("expected an empty line below the subject")
    return found


def _is_imperative(word: str) -> bool:
    return word in IMPERATIVES or not (word in NO_VERBS or ENDS_LIKE_A_VERB_OF_ANOTHER_FORM.search(word))


def main() -> None:
    """Ends with 1 and the reasons if the message cannot stay so."""
    found = problems(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for problem in found:
        print(f"commit message: {problem}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
