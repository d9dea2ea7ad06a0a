"""Java."""

from __future__ import annotations

from hexarena.backend.submissions.languages.language import OWN_PLACE, SETTINGS, Language

JAVA_BUILD = r"""
out=$0; bot=$1; entry=$2; shift 2
mkdir "$out/source" "$out/classes" && cd "$out/source" || exit
kind='((final|abstract|sealed|non-sealed|strictfp) +)*(class|enum|interface|record)'
before='(((package|import) [^;]*;|@[A-Za-z.]+([(][^)]*[)])?)[[:space:]]*)'
for file; do
    place=$(dirname "${file#"$bot/"}")
    name=$(sed -nE "s/^$before*public +$kind +([A-Za-z0-9_]+).*/\8/p" "$file" | head -n 1)
    name=${name:-$(basename "$file" .java)}
    mkdir -p "$place" && cp "$file" "$place/$name.java" || exit
    [ "$file" != "$entry" ] || starts=$name
done
quick='-J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1'
find . -name '*.java' | sed 's#^[.]/##' | sort > ../files
javac $quick -encoding UTF-8 -proc:none -g -d "$out/classes" @../files || exit
cd "$out/classes" || exit
having() { xargs -r env LC_ALL=C grep -lPa "(^|\x01\x00\x$(printf %02x ${#1}))\Q$1\E"; }
found=$(find . -name '*.class' | having main | having '([Ljava/lang/String;)V' | LC_ALL=C sort)
own=$(printf '%s\n' "$found" | having "$starts.java")
mains=$(printf '%s\n' "${own:-$found}" | sed -E 's#^[.]/##; s#[.]class$##')
main=$(printf '%s\n' "$mains" | grep -xE "(.*/)?(Player|$starts)" || printf '%s\n' "$mains")
main=$(printf '%s\n' "$main" | head -n 1)
[ -n "$main" ] || { echo 'expected a class with public static void main(String[] args); got none' >&2; exit 1; }
jar $quick --create --no-compress --file "$out/bot.jar" --main-class "$(echo "$main" | tr / .)" .
"""
"""A file may have any name in Java unless its class is public. The class that has main starts: one of the entry file's
before others, then Player. Class files have names and types as constants, each behind its length; ten ends a line."""

# All threads are charged to the bot, so: one collector, in its own thread; the quick compiler only, whose work
# is small; and that in the foreground, so that a bot that looks at the clock sees what it will pay for. The heap's
# young part is small, or a third of the memory could not be used for what stays; its first size does not
# depend on the machine's memory, which a sandbox does not show. Warnings are no replies.
RUN = (
    *("java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-BackgroundCompilation", "-XX:-UsePerfData"),
    *("-XX:+DisplayVMOutputToStderr", "-XX:+SuppressFatalErrorMessage"),
    *("-Xms384m", "-Xmx680m", "-XX:MaxNewSize=48m", "-Xss8m", "-jar", "{bot}/bot.jar"),
)

JAVA = Language(
    id="java",
    name="Java",
    ending=".java",
    source_name="bot.java",
    artefact_name="bot.jar",
    build=("sh", "-c", JAVA_BUILD, "{out}", "{bot}", "{entry}", "{sources}"),
    run=RUN,
    version_commands=(("javac", "-version"),),
    install="default-jdk-headless from the system's packages",
    links=OWN_PLACE,
    settings=SETTINGS,
)
