"""Languages whose interpreters need no more than a row: nothing is compiled, sources are only checked."""

from __future__ import annotations

from hexarena.backend.submissions.languages.language import Language, check_each

RUBY_PRELUDE = """
$stdout.sync = true
$LOAD_PATH.push(*Dir["/usr/lib/ruby/gems/*/gems/{matrix,prime}-*/lib"])
"""
"""Lines go out at once, also from bots that do not ask for it. `matrix` and `prime` are found without loading gems."""

RUBY = Language(
    id="ruby",
    name="Ruby",
    ending=".rb",
    source_name="bot.rb",
    artefact_name="bot.rb",
    build=check_each("ruby", "--disable-gems", "-c"),
    # Loading the package manager takes five times as long as everything else: 38 ms instead of 6.
    run=("ruby", "--disable-gems", "-r", "{bot}/.prelude.rb", "{entry}"),
    version_commands=(("ruby", "--version"),),
    install="ruby from the system's packages",
    beside=((".prelude.rb", RUBY_PRELUDE),),
    timers=True,  # before version 3.3
)

# Without the system's settings, which differ from one machine to the next and cost 3 ms a start. Messages go to
# stderr, since on stdout they would be taken for replies.
PHP_COMMAND = ("php", "-n", "-d", "display_errors=stderr", "-d", "log_errors=0")

PHP = Language(
    id="php",
    name="PHP",
    ending=".php",
    source_name="bot.php",
    artefact_name="bot.php",
    build=check_each(*PHP_COMMAND, "-l"),
    run=(*PHP_COMMAND, "-d", "memory_limit=720M", "-d", "extension=ctype", "{entry}"),
    version_commands=(("php", "--version"),),
    install="php-cli from the system's packages",
)

LUA = Language(
    id="lua",
    name="Lua",
    ending=".lua",
    source_name="bot.lua",
    artefact_name="bot.lua",
    build=check_each("luac5.4", "-p"),
    run=("lua5.4", "-e", 'io.stdout:setvbuf("line") package.path = "{bot}/?.lua;" .. package.path', "{entry}"),
    version_commands=(("lua5.4", "-v"),),
    install="lua5.4 from the system's packages",
)

PERL = Language(
    id="perl",
    name="Perl",
    ending=".pl",
    source_name="bot.pl",
    artefact_name="bot.pl",
    build=check_each("perl", "-I{bot}", "-c"),
    run=("perl", "-I{bot}", "-I{bot}/.perl", "-MLines", "{entry}"),
    beside=((".perl/Lines.pm", "package Lines; $| = 1; 1;"),),
    version_commands=(("perl", "-e", 'print "perl $^V"'),),
    install="perl from the system's packages",
    other_endings=(".pm",),
    builds_run_code=True,  # BEGIN blocks, which -c runs, too
)

BASH = Language(
    id="bash",
    name="Bash",
    ending=".sh",
    source_name="bot.sh",
    artefact_name="bot.sh",
    build=check_each("bash", "-n"),
    run=("bash", "{entry}"),
    version_commands=(("bash", "--version"),),
    install="bash from the system's packages",
)
