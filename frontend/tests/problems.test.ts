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

  test('of anything else: none', () => {
    expect(findProblems('')).toEqual([])
    expect(findProblems('killed: out of memory')).toEqual([])
  })
})
