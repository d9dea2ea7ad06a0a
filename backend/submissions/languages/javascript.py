"""JavaScript and TypeScript, both by Node."""

from __future__ import annotations

from hexarena.backend.submissions.languages.language import Language, check_each

CODINGAME_JAVASCRIPT = """
const { readSync } = require("fs");
const chunk = Buffer.alloc(65536);
let waiting = Buffer.alloc(0);
globalThis.readline = () => {
  for (;;) {
    const end = waiting.indexOf(10);
    if (end >= 0) {
      const line = waiting.toString("utf8", 0, end);
      waiting = waiting.subarray(end + 1);
      return line.endsWith("\\r") ? line.slice(0, -1) : line;
    }
    const count = readSync(0, chunk);
    if (count === 0) return null;
    waiting = Buffer.concat([waiting, chunk.subarray(0, count)]);
  }
};
globalThis.print = console.log;
globalThis.printErr = console.error;
"""
"""What CodinGame's JavaScript has besides Node's own: bots from there call readline(), print() and printErr()."""

NODE = ("node", "--single-threaded", "--max-old-space-size=640", "--require", "{bot}/.prelude.cjs")
"""One thread collects and compiles: what others do is charged to the bot, too, and one that stops just before its limit
by the wall clock would be late. The collector's old space is most of what a bot may use; the runtime itself and its
young objects take 90 MiB."""
NODE_VERSION = ("node", "--version")
INSTALL_NODE = "nodejs from the system's packages, or Hexarena's own extra: pip install 'hexarena[node]'"

JAVASCRIPT = Language(
    id="javascript",
    name="JavaScript",
    ending=".js",
    source_name="bot.js",
    artefact_name="bot.js",
    build=check_each("node", "--check"),
    run=(*NODE, "{entry}"),
    version_commands=(NODE_VERSION,),
    install=INSTALL_NODE,
    beside=((".prelude.cjs", CODINGAME_JAVASCRIPT),),
    manifest="package.json",
)

TYPESCRIPT = Language(
    id="typescript",
    name="TypeScript",
    ending=".ts",
    source_name="bot.ts",
    artefact_name="bot.js",
    # Types are taken away, not checked. Files that are imported become part of the one that runs.
    build=(
        *("esbuild", "{entry}", "--bundle", "--platform=node", "--format=cjs", "--target=node18"),
        *("--sourcemap=inline", "--sources-content=false", "--log-level=warning", "--color=false"),
        "--outfile={out}/bot.js",
    ),
    # The places in messages are then those of the source; it costs nothing until there is a message.
    run=(*NODE, "--enable-source-maps", "{bot}/bot.js"),
    version_commands=(("esbuild", "--version"), NODE_VERSION),
    install=f"esbuild from the system's packages, and {INSTALL_NODE}",
    beside=((".prelude.cjs", CODINGAME_JAVASCRIPT),),
    manifest="package.json",
)
