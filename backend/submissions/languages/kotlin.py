"""Kotlin, for the same virtual machine as Java."""

from __future__ import annotations

from hexarena.backend.runtime.checkout import is_checkout
from hexarena.backend.submissions.languages.java import RUN
from hexarena.backend.submissions.languages.language import OWN_PLACE, SETTINGS, Language

KOTLIN_BUILD = r"""
out=$1; shift
export JAVA_OPTS='-Xmx640m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData'
kotlinc -nowarn -include-runtime -d "$out/bot.jar" "$@" || exit
cd "$out" && jar --extract --file bot.jar META-INF/MANIFEST.MF && grep -q Main-Class META-INF/MANIFEST.MF && exit
echo 'expected one file with fun main(); got none, or several' >&2
exit 1
"""

COMPILER = (
    "Kotlin's compiler in /usr/local (make kotlin)"
    if is_checkout()
    else "Kotlin's compiler, with kotlinc in /usr/local/bin (https://kotlinlang.org/docs/command-line.html)"
)

KOTLIN = Language(
    id="kotlin",
    name="Kotlin",
    ending=".kt",
    source_name="bot.kt",
    artefact_name="bot.jar",
    build=("sh", "-c", KOTLIN_BUILD, "build", "{out}", "{sources}"),
    run=RUN,
    version_commands=(("javac", "-version"), ("kotlinc", "-version")),
    install=f"{COMPILER}, and default-jdk-headless from the system's packages",
    links=OWN_PLACE,
    settings=SETTINGS,
)
