import { describe, expect, test } from 'vitest'
import { findProblems } from '../src/lib/problems'

describe('lines of the code in what was printed', () => {
  test('of a C++ compiler, without its warnings', () => {
    const log = [
      'bot.cpp: In function ‘int main()’:',
      'bot.cpp:3:5: warning: unused variable ‘x’ [-Wunused-variable]',
      'bot.cpp:7:12: error: expected ‘;’ before ‘}’ token',
      '/build/bot.cpp:9:1: fatal error: nothing.h: No such file',
    ].join('\n')
    expect(findProblems(log)).toEqual([
      { line: 7, message: 'expected ‘;’ before ‘}’ token' },
      { line: 9, message: 'nothing.h: No such file' },
    ])
  })

  test('of a Python syntax error', () => {
    const log = ['  File "/bot/bot.py", line 4', '    while True', '              ^', "SyntaxError: expected ':'"].join('\n')
    expect(findProblems(log)).toEqual([{ line: 4, message: "SyntaxError: expected ':'" }])
  })

  test('of a Python traceback: the deepest line that is the user’s own', () => {
    const log = [
      'turn 3',
      'Traceback (most recent call last):',
      '  File "/bot/bot.py", line 30, in <module>',
      '    main()',
      '  File "/bot/bot.py", line 12, in main',
      '    json.loads(text)',
      '  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads',
      '    return _default_decoder.decode(s)',
      'json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)',
    ].join('\n')
    expect(findProblems(log)).toEqual([
      { line: 12, message: 'json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)' },
    ])
  })

  test('of Node, for syntax errors and for thrown ones', () => {
    const syntax = ['/bot/bot.js:5', 'let = 3', '    ^', '', 'SyntaxError: Unexpected token', '    at wrapSafe (node:internal)'].join('\n')
    expect(findProblems(syntax)).toEqual([{ line: 5, message: 'SyntaxError: Unexpected token' }])
    const thrown = ['TypeError: x is not a function', '    at main (/bot/bot.js:8:3)'].join('\n')
    expect(findProblems(`/bot/bot.js:8\n  x()\n  ^\n\n${thrown}`)).toEqual([{ line: 8, message: 'TypeError: x is not a function' }])
  })

  test('of the compilers of Java, Rust and Go', () => {
    const java = ["bot.java:2: error: cannot find symbol", '    int a = x;', '            ^', '  symbol:   variable x', '1 error']
    expect(findProblems(java.join('\n'))).toEqual([{ line: 2, message: 'cannot find symbol' }])
    const rust = [
      'error[E0425]: cannot find function `x` in this scope',
      ' --> bot.rs:3:5',
      '  |',
      '3 |     x();',
      '',
      'warning: unused variable: `y`',
      ' --> bot.rs:9:9',
      '',
      'error: aborting due to previous error; 1 warning emitted',
    ]
    expect(findProblems(rust.join('\n'))).toEqual([{ line: 3, message: 'cannot find function `x` in this scope' }])
    const go = ['# command-line-arguments', './bot.go:4:2: undefined: x']
    expect(findProblems(go.join('\n'))).toEqual([{ line: 4, message: 'undefined: x' }])
  })

  test('of the compilers of C, TypeScript and C#', () => {
    expect(findProblems('bot.c:1:25: error: ‘x’ undeclared')).toEqual([{ line: 1, message: '‘x’ undeclared' }])
    const typescript = ['✘ [ERROR] Unexpected "="', '', '    bot.ts:2:7:', '      2 │ let b: = 2;', '        ╵        ^', '']
    expect(findProblems(typescript.join('\n'))).toEqual([{ line: 2, message: 'Unexpected "="' }])
    const csharp = [
      'bot.cs(1,5): warning CS0219: The variable `a\' is assigned',
      'bot.cs(2,24): error CS0103: The name `x\' does not exist in the current context',
      'Compilation failed: 1 error(s), 0 warnings',
    ]
    expect(findProblems(csharp.join('\n'))).toEqual([{ line: 2, message: 'The name `x\' does not exist in the current context' }])
  })

  test('of Ruby and PHP, for syntax errors and for raised ones', () => {
    const ruby = ['bot.rb:2: syntax error, unexpected end-of-input, expecting \')\'', 'puts (2', '       ^']
    expect(findProblems(ruby.join('\n'))).toEqual([
      { line: 2, message: "syntax error, unexpected end-of-input, expecting ')'" },
    ])
    const raised = ["/bot/bot.rb:4:in `move': undefined method `x' for nil (NoMethodError)", "\tfrom /bot/bot.rb:9:in `<main>'"]
    expect(findProblems(raised.join('\n'))).toEqual([{ line: 4, message: "undefined method `x' for nil (NoMethodError)" }])
    const php = 'Parse error: syntax error, unexpected token "echo", expecting "," or ";" in bot.php on line 3'
    expect(findProblems(php)).toEqual([{ line: 3, message: 'syntax error, unexpected token "echo", expecting "," or ";"' }])
    const uncaught = ['Fatal error: Uncaught Exception: no way in /bot/bot.php:4', 'Stack trace:', '#0 {main}', '  thrown in /bot/bot.php on line 4']
    expect(findProblems(uncaught.join('\n'))).toEqual([{ line: 4, message: 'Exception: no way' }])
  })

  test('of TypeScript that ended badly: Node names the line of the source', () => {
    const thrown = ['/bot/bot.ts:5', "  throw new Error('no')", '  ^', '', 'Error: no', '    at fail (/bot/bot.ts:5:9)']
    expect(findProblems(thrown.join('\n'))).toEqual([{ line: 5, message: 'Error: no' }])
  })

  test('of Java, Rust and Go that ended badly: the deepest line that is the user’s own', () => {
    const java = [
      'Exception in thread "main" java.lang.ArrayIndexOutOfBoundsException: Index 3 out of bounds for length 0',
      '\tat java.base/java.util.ImmutableCollections$ListN.get(ImmutableCollections.java:680)',
      '\tat Player.main(bot.java:4)',
    ]
    expect(findProblems(java.join('\n'))).toEqual([
      { line: 4, message: 'java.lang.ArrayIndexOutOfBoundsException: Index 3 out of bounds for length 0' },
    ])
    const rust = "thread 'main' panicked at 'index out of bounds: the len is 0 but the index is 1', /bot/bot.rs:3:18"
    expect(findProblems(rust)).toEqual([{ line: 3, message: 'index out of bounds: the len is 0 but the index is 1' }])
    const go = ['panic: runtime error: index out of range', '', 'goroutine 1 [running]:', 'main.main()', '\t/bot/bot.go:5 +0x1a']
    expect(findProblems(go.join('\n'))).toEqual([{ line: 5, message: 'runtime error: index out of range' }])
  })

  test('of a Python bot that failed twice: each time with its own line', () => {
    const failure = (line: number, name: string): string[] => [
      'Traceback (most recent call last):',
      `  File "/bot/${name}", line ${line}, in <module>`,
      '    x()',
      `ValueError: ${line}`,
    ]
    const log = [...failure(3, 'bot.py'), ...failure(8, 'other.py')].join('\n')
    expect(findProblems(log)).toEqual([
      { line: 3, message: 'ValueError: 3' },
      { line: 8, message: 'ValueError: 8' },
    ])
  })

  test('an indented line is no error', () => {
    const log = ['  File "/bot/bot.py", line 4, in move', '    ValueError: not this one', 'ValueError: this one'].join('\n')
    expect(findProblems(log)).toEqual([{ line: 4, message: 'ValueError: this one' }])
  })

  test('of a thrown error without its source line: the first frame that is the user’s own', () => {
    const log = [
      'SyntaxError: Unexpected token b in JSON',
      '    at JSON.parse (<anonymous>)',
      '    at read (/usr/lib/node_modules/x/y.js:4:3)',
      '    at main (/bot/bot.js:8:3)',
      '    at run (/bot/bot.js:20:1)',
    ].join('\n')
    expect(findProblems(log)).toEqual([{ line: 8, message: 'SyntaxError: Unexpected token b in JSON' }])
  })

  test('of TypeScript: the line of the source, though Node begins with that of the program', () => {
    const log = ['/bot/bot.js:4', '  return a.x;', '           ^', '', 'TypeError: no x', '    at move (/bot/bot.ts:3:12)', '    at main (/bot/bot.ts:6:3)']
    expect(findProblems(log.join('\n'))).toEqual([{ line: 3, message: 'TypeError: no x' }])
  })

  test('of the arena’s own loader and harness: never', () => {
    const log = [
      'Traceback (most recent call last):',
      '  File "<start>", line 30, in <module>',
      '  File "/bot/bot.py", line 53, in <module>',
      '    main()',
      '  File "/bot/harness.py", line 60, in _answer',
      '  File "<string>", line 1, in <module>',
      "KeyError: 'x'",
    ].join('\n')
    expect(findProblems(log)).toEqual([{ line: 53, message: "KeyError: 'x'" }])
    expect(findProblems(log.replace('  File "/bot/bot.py", line 53, in <module>\n', ''))).toEqual([])
  })

  test('of an exception class of the user’s, whatever its name', () => {
    const log = ['Traceback (most recent call last):', '  File "/bot/bot.py", line 4, in <module>', '    raise NoMove(3)', '__main__.NoMove: 3']
    expect(findProblems(log.join('\n'))).toEqual([{ line: 4, message: '__main__.NoMove: 3' }])
  })

  test('of Ruby and new Rust inside their own libraries: the user’s own line', () => {
    const ruby = [
      "/usr/lib/ruby/3.1.0/json/common.rb:216:in `parse': unexpected token (JSON::ParserError)",
      "\tfrom /usr/lib/ruby/3.1.0/json/common.rb:216:in `parse'",
      "\tfrom /bot/bot.rb:4:in `move'",
      "\tfrom /bot/bot.rb:9:in `<main>'",
    ]
    expect(findProblems(ruby.join('\n'))).toEqual([{ line: 4, message: 'unexpected token (JSON::ParserError)' }])
    const rust = ["thread 'main' panicked at bot.rs:3:18:", 'index out of bounds']
    expect(findProblems(rust.join('\n'))).toEqual([{ line: 3, message: 'index out of bounds' }])
    const library = "thread 'main' panicked at 'no', /rustc/90c541/library/core/src/option.rs:775:5"
    expect(findProblems(library)).toEqual([])
  })

  test('of Kotlin, when it compiles and when it ends badly', () => {
    const compiled = "bot.kt:2:16: error: initializer type mismatch: expected 'Int', actual 'String'."
    expect(findProblems(compiled)).toEqual([{ line: 2, message: "initializer type mismatch: expected 'Int', actual 'String'." }])
    const thrown = ['Exception in thread "main" java.lang.ArithmeticException: / by zero', '\tat BotKt.main(bot.kt:3)', '\tat BotKt.main(bot.kt)']
    expect(findProblems(thrown.join('\n'))).toEqual([{ line: 3, message: 'java.lang.ArithmeticException: / by zero' }])
  })

  test('of Haskell and OCaml, which name the place before the message', () => {
    const haskell = ['bot.hs:4:12: error:', '    • No instance for (Num String) arising from the literal ‘3’', '    • In the first argument of ‘putStrLn’']
    expect(findProblems(haskell.join('\n'))).toEqual([{ line: 4, message: 'No instance for (Num String) arising from the literal ‘3’' }])
    expect(findProblems('bot.hs:2:1: error: parse error on input ‘=’')).toEqual([{ line: 2, message: 'parse error on input ‘=’' }])
    const called = ['bot: no way', 'CallStack (from HasCallStack):', '  error, called at bot.hs:3:5 in main:Main']
    expect(findProblems(called.join('\n'))).toEqual([{ line: 3, message: 'no way' }])
    const ocaml = ['File "bot.ml", line 3, characters 12-13:', '3 |   print_int x', '                ^', 'Error: This expression has type string']
    expect(findProblems(ocaml.join('\n'))).toEqual([{ line: 3, message: 'This expression has type string' }])
  })

  test('of D, Pascal, Lua, Perl and Bash', () => {
    expect(findProblems('bot.d(3): Error: cannot implicitly convert')).toEqual([{ line: 3, message: 'cannot implicitly convert' }])
    expect(findProblems('core.exception.ArrayIndexError@/bot/bot.d(5): index [3] is out of bounds')).toEqual([
      { line: 5, message: 'index [3] is out of bounds' },
    ])
    const pascal = ['bot.pas(4,8) Error: Incompatible types', 'bot.pas(6) Fatal: There were 1 errors compiling module, stopping']
    expect(findProblems(pascal.join('\n'))).toEqual([{ line: 4, message: 'Incompatible types' }])
    const lua = ['lua5.4: /bot/bot.lua:3: attempt to index a nil value', 'stack traceback:', '\t/bot/bot.lua:3: in main chunk']
    expect(findProblems(lua.join('\n'))).toEqual([{ line: 3, message: 'attempt to index a nil value' }])
    expect(findProblems("luac5.4: bot.lua:2: ')' expected near 'end'")).toEqual([{ line: 2, message: "')' expected near 'end'" }])
    expect(findProblems('bad at /bot/bot.pl line 2, <STDIN> line 1.')).toEqual([{ line: 2, message: 'bad' }])
    expect(findProblems('syntax error at bot.pl line 3, near "}"')).toEqual([{ line: 3, message: 'syntax error' }])
    const bash = ['bot.sh: line 2: syntax error near unexpected token `)\'', 'bot.sh: line 2: `foo )\'']
    expect(findProblems(bash.join('\n'))).toEqual([{ line: 2, message: "syntax error near unexpected token `)'" }])
  })

  test('are at most twenty', () => {
    const compiled = Array.from({ length: 30 }, (_, i) => `bot.cpp:${i + 1}:1: error: no`).join('\n')
    expect(findProblems(compiled)).toHaveLength(20)
    const failed = Array.from({ length: 30 }, (_, i) => `  File "/bot/bot.py", line ${i + 1}\nValueError: no`).join('\n')
    expect(findProblems(failed)).toHaveLength(20)
    expect(findProblems(failed)[0]!.line).toBe(1)
  })

  test('of anything else: none', () => {
    expect(findProblems('')).toEqual([])
    expect(findProblems('killed: out of memory')).toEqual([])
  })
})
