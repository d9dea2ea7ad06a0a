"""C and C++."""

from __future__ import annotations

from hexarena.backend.submissions.languages.language import Language, Preparation
from hexarena.backend.submissions.languages.retry import TRIES

SENDS_LINES = r"""
IFS='
'
out=$1 bot=$2 entry=$3 prepared=$4; shift 4
sources=$*
cat > "$out/.lines.c" << 'END' || exit
#include <stdio.h>
__attribute__((constructor)) static void send_each_line(void) { setvbuf(stdout, (char *)0, _IOLBF, 0); }
END
gcc -O2 -c -o "$out/.lines.o" "$out/.lines.c" || exit
set -- -I "$bot"
for folder in $(cd "$bot" && find . -mindepth 1 -type d ! -path '*/.*' | sed 's#^[.]/##' | sort); do
    set -- "$@" -iquote "$bot/$folder" -idirafter "$bot/$folder"
done
folders=$*
whole() { build "$@" $folders $sources; }
alone() { [ "$sources" != "$entry" ] && build "$@" $folders "$entry"; }
explain() { :; }
"""
"""Lines go out at once, also from programs that do not flush: CodinGame does the same. A constructor that is linked in
sets it, so nothing is added to the sources. Headers are found in all folders, after those of the system in <...>. Only
line breaks separate words, since the path of a folder may have blanks."""

# GNU's C17, as CodinGame has it: plain C17 lacks strdup, getline, M_PI and clock_gettime.
C_OPTIONS = "-std=gnu17 -O2 -Wall -fmax-errors=20 -pthread"
C_BUILD = (
    SENDS_LINES
    + TRIES
    + rf"""
build() {{ gcc {C_OPTIONS} -o "$out/bot" "$@" "$out/.lines.o" -lm; }}
tries whole alone
"""
)

CPP_OPTIONS = "-std=gnu++20 -O2 -Wall -fmax-errors=20 -pthread"
CPP_BUILD = (
    SENDS_LINES
    + TRIES
    + rf"""
build() {{ g++ {CPP_OPTIONS} -I "$prepared" -o "$out/bot" "$@" "$out/.lines.o"; }}
with_headers() {{ whole -include bits/stdc++.h; }}
alone_with_headers() {{ alone -include bits/stdc++.h; }}
tries whole alone with_headers alone_with_headers
"""
)
"""Every source is compiled; where that fails, only the one that starts: the others may be parts that it includes, or
programs of their own; where that fails, too, the same with all headers at hand, which takes longer."""
CPP_PREPARATION = rf"""
mkdir "$0/bits" || exit
header=$(echo '#include <bits/stdc++.h>' | g++ -x c++ -M - | grep -o '/[^ ]*/bits/stdc++[.]h')
g++ {CPP_OPTIONS} -x c++-header -o "$0/bits/stdc++.h.gch" "$header"
"""
"""All headers, compiled once: 1.4 s of a build become .3 s. GCC leaves them aside where a source sets other options
before it includes them."""

C = Language(
    id="c",
    name="C",
    ending=".c",
    source_name="bot.c",
    artefact_name="bot",
    build=("sh", "-c", C_BUILD, "build", "{out}", "{bot}", "{entry}", "{prepared}", "{sources}"),
    run=("{bot}/bot",),
    version_commands=(("gcc", "--version"),),
    install="gcc from the system's packages",
    settings=(),
)

CPP = Language(
    id="cpp",
    name="C++",
    ending=".cpp",
    source_name="bot.cpp",
    artefact_name="bot",
    build=("sh", "-c", CPP_BUILD, "build", "{out}", "{bot}", "{entry}", "{prepared}", "{sources}"),
    run=("{bot}/bot",),
    version_commands=(("g++", "--version"),),
    install="g++ from the system's packages",
    settings=(),
    other_endings=(".cc", ".cxx"),
    preparation=Preparation(wanted_by=r"bits/stdc\+\+\.h", build=("sh", "-c", CPP_PREPARATION, "{out}")),
)
