"""C#, by Mono."""

from __future__ import annotations

from hexarena.backend.submissions.languages.language import Language

MONO_MAPS = """\
0-7ff000000000 ---p 00000000 00:00 0
7ff000000000-7ffffffff000 rw-p 00000000 00:00 0
7ffffffff000-fff000000000 ---p 00000000 00:00 0
fff000000000-1000000000000 rw-p 00000000 00:00 0
"""
"""Where the stack of the first thread is: Mono does not start before it read that. True for every process, for it says
only where Linux puts stacks on x86-64 and on ARM; that is why endless recursion ends in a SIGSEGV, not in an
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
    name="C# (Mono)",
    ending=".cs",
    source_name="bot.cs",
    artefact_name="bot.exe",
    build=(
        *(*MONO, "MONO_OPTIONS=--config {bot}/.mono", "mcs", "-optimize+", "-unsafe", "-langversion:latest"),
        *("-r:System.Numerics.dll", "-out:{out}/bot.exe", "{sources}"),
    ),
    run=(*MONO, "MONO_GC_PARAMS=max-heap-size=704m", "mono", "--config", "{bot}/.mono", "{bot}/bot.exe"),
    version_commands=(("mcs", "--version"), ("mono", "--version")),
    install="mono-mcs and mono-runtime from the system's packages",
    beside=((".maps", MONO_MAPS), (".mono", MONO_SETTINGS)),
    links=(("/proc/self/maps", "{bot}/.maps"),),
)
