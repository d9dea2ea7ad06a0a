"""Python: compiled once, started without what its `site` does."""

from __future__ import annotations

from hexarena.backend.submissions.languages.language import Language

PYTHON_START = """
def start(codes):
    import _frozen_importlib_external, _imp, builtins, marshal, sys
    from _sitebuiltins import Quitter

    def kept(file):
        code = codes.get(file.removeprefix(folder + "/"))
        if code is not None:
            code = marshal.loads(code)
            _imp._fix_co_filename(code, file)
        return code

    def get_code(loader, name):
        return kept(loader.path) or compiled_now(loader, name)

    loaders = _frozen_importlib_external.SourceFileLoader
    compiled_now, loaders.get_code = loaders.get_code, get_code
    def excepthook(kind, error, frames):
        shown(kind, error.with_traceback(frames and frames.tb_next), None)

    shown, sys.excepthook = sys.excepthook, excepthook
    builtins.exit, builtins.quit = Quitter("exit", "Ctrl-D"), Quitter("quit", "Ctrl-D")
    folder = sys.argv.pop(0).rpartition("/")[0]
    file = sys.argv[0]
    sys.path.insert(0, folder)
    if file.rpartition("/")[0] != folder:
        sys.path.insert(0, file.rpartition("/")[0])
    version = "python%d.%d" % sys.version_info[:2]
    for place in ("/usr/local/lib/" + version, "/usr/lib/python3"):
        sys.path += [place + "/dist-packages", place + "/site-packages"]
    return file, kept(file)
__file__, code = start(codes)
del start, codes
exec(globals().pop("code"))
"""
"""Runs the file that is its first argument, from the code that the build made of it and of the files beside it: reading
source costs a start a millisecond. `codes`: relative path -> code, put before it by the build. Its own frame is not
shown above the bot's when the bot crashes.

Then what Python's own `site` does for a bot, without the rest: it costs a quarter of a start, and runs what packages
of the system left in .pth files. A bot finds the files beside it, exit(), and packages of the system such as numpy."""

PYTHON_BUILD = """
import marshal, sys, traceback
from importlib.util import MAGIC_NUMBER

out, folder, start, *files = sys.argv[1:]
codes = {}
for file in files:
    try:
        with open(file, "rb") as source:
            codes[file.removeprefix(folder + "/")] = marshal.dumps(compile(source.read(), file, "exec"))
    except Exception as error:
        place = "" if isinstance(error, SyntaxError) else f'  File "{file}"\\n'
        sys.stderr.write(place + "".join(traceback.format_exception_only(error)))
if len(codes) < len(files):
    sys.exit(1)
started = compile(f"codes = {codes!r}\\n{start}", "<start>", "exec")
with open(out, "wb") as program:
    program.write(MAGIC_NUMBER + bytes(12) + marshal.dumps(started))
"""
"""All files are read, also after a bad one. The program is a .pyc, whose header here says nothing of its sources."""

PYTHON = Language(
    id="python",
    name="Python",
    ending=".py",
    source_name="bot.py",
    artefact_name=".start.pyc",
    keeps_sources=True,
    build=(
        *("python3", "-I", "-S", "-c", PYTHON_BUILD, "{out}/.start.pyc", "{bot}", PYTHON_START),
        "{sources}",
    ),
    # Unbuffered (-u), because bots that print without flush=True would otherwise wait for an answer they never sent.
    run=("python3", "-I", "-S", "-B", "-u", "{bot}/.start.pyc", "{entry}"),
    version_commands=(("python3", "--version"),),
    install="python3 from the system's packages",
)
