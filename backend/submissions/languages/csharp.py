"""C#: by .NET where a worker's machine has its SDK, else by Mono.

The table has Mono's row, which needs nothing but two programs. The row for .NET depends on where an SDK is and which
one it is, so the worker makes it of what it finds (worker/sandbox/dotnet.py). Both have one id: an upload is source
code, and each machine builds it with what it has.
"""

from __future__ import annotations

import json
import shlex

from hexarena.backend.submissions.languages.language import MIB, Language
from hexarena.backend.submissions.languages.retry import TRIES

MAPS = """\
0-7ff000000000 ---p 00000000 00:00 0
7ff000000000-7ffffffff000 rw-p 00000000 00:00 0
7ffffffff000-fff000000000 ---p 00000000 00:00 0
fff000000000-1000000000000 rw-p 00000000 00:00 0
"""
"""Where the stack of the first thread is: neither Mono nor .NET starts before it read that. True for every process, for
it says only where Linux puts stacks on x86-64 and on ARM; that is why endless recursion ends the bot, not in an
exception."""
MONO_SETTINGS = """\
<configuration>
  <dllmap dll="libc" target="libc.so.6"/>
  <dllmap dll="System.Native" target="libmono-native.so"/>
  <dllmap dll="MonoPosixHelper" target="libMonoPosixHelper.so"/>
</configuration>
"""
"""Mono's only settings in a sandbox: the libraries behind System.Random, files and the clock."""

# Mono would warn on stdout, where a bot's replies are, that threads may not choose how they are scheduled.
MONO = ("env", "MONO_LOG_DEST=/dev/null")

CSHARP = Language(
    id="csharp",
    name="C#",
    ending=".cs",
    source_name="bot.cs",
    artefact_name="bot.exe",
    build=(
        *(*MONO, "MONO_OPTIONS=--config {bot}/.mono", "mcs", "-optimize+", "-unsafe", "-langversion:latest"),
        *("-r:System.Numerics.dll", "-out:{out}/bot.exe", "{sources}"),
    ),
    run=(*MONO, "MONO_GC_PARAMS=max-heap-size=704m", "mono", "--config", "{bot}/.mono", "{bot}/bot.exe"),
    version_commands=(("mcs", "--version"), ("mono", "--version")),
    install="a .NET SDK, 8 or newer (Ubuntu: dotnet-sdk-8.0), or mono-mcs and mono-runtime from the system's packages",
    beside=((".maps", MAPS), (".mono", MONO_SETTINGS)),
    links=(("/proc/self/maps", "{bot}/.maps"),),
    kinds=((r"\.NET SDK (\d+)", r".NET \1"), ("Mono", "Mono")),
)

# --- .NET -----------------------------------------------------------------------------------------------------------

CONFIG = ".runtimeconfig.json"
HEAP_BYTES = 704 * MIB
# No debugger listens in /tmp, code is not mapped twice through a file in memory, and no library of languages is needed.
# The collector would ask how much memory the machine has, which a sandbox does not show: what it read instead might
# make it collect all the time.
DOTNET = (
    *("env", "DOTNET_EnableDiagnostics=0", "DOTNET_EnableWriteXorExecute=0", "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1"),
    *("DOTNET_CLI_TELEMETRY_OPTOUT=1", f"DOTNET_GCTotalPhysicalMemory={768 * MIB:#x}"),
)
# A compiler that runs for a second gains nothing from being profiled, nor from a collector in another thread.
DOTNET_COMPILER = (
    *(*DOTNET, "DOTNET_TieredPGO=0", "DOTNET_gcServer=0", "DOTNET_gcConcurrent=0"),
    f"DOTNET_GCHeapHardLimit={HEAP_BYTES:#x}",
)
USINGS = (
    "System System.Collections.Generic System.IO System.Linq System.Net.Http System.Threading System.Threading.Tasks"
)
"""What a new project of .NET has without writing it (ImplicitUsings). CodinGame adds none of them."""

DOTNET_BUILD = (
    r"""
out=$1 dotnet=$2 compiler=$3 references=$4; shift 4
{ printf '"%s"\n' "$@"; printf -- '-r:"%s"\n' "$references"/*.dll; } > "$out/.files"
"""
    + TRIES
    + rf"""
build() {{
    "$dotnet" exec "$compiler" -nologo -noconfig -nostdlib+ -utf8output -target:exe -optimize+ -unsafe -warn:0 \
        -langversion:latest -debug:embedded "-out:$out/bot.dll" "@$out/.files" "$@" >&2
}}
plain() {{ build; }}
several() {{ grep -qs CS0017 "$out/.shown" && build -main:Player; }}
helped() {{
    grep -qsE 'CS0103|CS0246|CS1061' "$out/.shown" || return
    printf 'global using global::%s;\n' {USINGS} > "$out/.usings.cs"
    build "$out/.usings.cs"
}}
explain() {{ :; }}
tries plain several helped
"""
)
"""As it is; if it has several Main, with that of Player; with the usings of a new project. Without MSBuild and NuGet,
which would want a network: the compiler needs only the list of libraries."""


def dotnet_row(program: str, compiler: str, references: str, sdk: str, runtime: str) -> Language:
    """C# by .NET. The paths are those in a sandbox.

    program: `dotnet`. compiler: the SDK's csc.dll. references: the folder of the libraries to compile with.
    sdk, runtime: versions, both of the same major one.
    """
    major = runtime.partition(".")[0]
    # All threads are charged to the bot. So what it calls is compiled once, as well as can be, and at once: tiers would
    # compile in a thread beside it what a bot that looks at the clock does not see; nor does one collect there.
    config = {
        "framework": {"name": "Microsoft.NETCore.App", "version": f"{major}.0.0"},
        "configProperties": {
            "System.GC.Server": False,
            "System.GC.Concurrent": False,
            "System.GC.HeapHardLimit": HEAP_BYTES,
            "System.Globalization.Invariant": True,
            "System.Runtime.TieredCompilation": False,
        },
    }
    # That the compiler starts is tried, but what it says does not show which .NET it is of.
    said = f".NET SDK {sdk}, runtime {runtime}"
    version = shlex.join((*DOTNET_COMPILER, program, "exec", compiler, "-version"))
    return Language(
        id=CSHARP.id,
        name=CSHARP.name,
        ending=CSHARP.ending,
        source_name=CSHARP.source_name,
        artefact_name="bot.dll",
        build=(
            *(*DOTNET_COMPILER, "sh", "-c", DOTNET_BUILD, "build"),
            *("{out}", program, compiler, references, "{sources}"),
        ),
        run=(*DOTNET, program, "exec", "--runtimeconfig", f"{{bot}}/{CONFIG}", "{bot}/bot.dll"),
        version_commands=(("sh", "-c", f"{version} > /dev/null && echo {shlex.quote(said)}"),),
        install=CSHARP.install,
        beside=((".maps", MAPS), (CONFIG, json.dumps({"runtimeOptions": config}))),
        links=(("/proc/self/exe", program), ("/proc/self/maps", "{bot}/.maps")),
        cores=True,
        kinds=CSHARP.kinds,
    )
