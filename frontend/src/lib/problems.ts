/* Finds errors with lines of the user's code in the output of a compiler or an interpreter. */

export interface CodeProblem {
  /** Counted from 1. */
  line: number
  message: string
}

const PYTHON = /^\s*File "(?:.*\/)?([^"/]+)", line (\d+)/
const COMPILER = /^(?:.*\/)?[\w.-]+\.(?:cpp|cc|c|h|hpp|java):(\d+)(?::\d+)?: (?:fatal )?error: (.+)$/
const GO = /^(?:.*\/)?[\w.-]+\.go:(\d+):\d+: (.+)$/
const CSHARP = /^(?:.*\/)?[\w.-]+\.cs\((\d+),\d+\+?\): error (?:\w+: )?(.+)$/
const RUBY = /^(?:\/bot\/)?[\w.-]+\.rb:(\d+):(?:in [^:]+:)? (.+)$/
/** The message comes before the place. */
const PHP = /^(?:PHP )?(?:Parse|Fatal) error: +(?:Uncaught )?(.+) in (?:.*\/)?[\w.-]+\.php(?::| on line )(\d+)$/
const RUST_PANIC = /^thread '.*' panicked at '(.*)', (?:.*\/)?[\w.-]+\.rs:(\d+):\d+$/
/** A message, and the place that belongs to it some lines below: Rust's compiler and TypeScript's, Go's panics, Java's exceptions. */
const HEADED: { message: RegExp; place: RegExp }[] = [
  { message: /^error(?:\[\w+\])?: (.+)$/, place: /^\s*--> (?:.*\/)?[\w.-]+\.rs:(\d+):\d+$/ },
  { message: /^✘ \[ERROR\] (.+)$/, place: /^\s+(?:.*\/)?[\w.-]+\.ts:(\d+):\d+:$/ },
  { message: /^panic: (.+)$/, place: /^\s+(?:.*\/)?bot\.go:(\d+)\b/ },
  { message: /^Exception in thread "[^"]*" (.+)$/, place: /^\s+at (?!java\.|jdk\.).*\([\w.-]+\.java:(\d+)\)$/ },
]
const SCRIPT = /^(?:file:\/\/)?(?:.*\/)?[\w.-]+\.(?:m?js|ts):(\d+)(?::\d+)?$/
const SCRIPT_FRAME = /^\s+at .*?[\w.-]+\.(?:m?js|ts):(\d+):\d+\)?$/
const RAISED = /^([\w.]*(?:Error|Exception|Interrupt|Exit|Iteration)\b.*)$/
const MOST = 20

/** In the order of the text; for a Python or JavaScript failure the last line that is the user's own. */
export function findProblems(log: string): CodeProblem[] {
  const lines = log.split('\n')
  const compiled = lines.flatMap((line) => {
    const found = COMPILER.exec(line) ?? GO.exec(line) ?? CSHARP.exec(line) ?? RUBY.exec(line)
    const php = PHP.exec(line)
    if (php) return [{ line: Number(php[2]), message: php[1]! }]
    return found ? [{ line: Number(found[1]), message: found[2]! }] : []
  })
  const found = [...compiled, ...headed(lines)]
  return found.length ? found.slice(0, MOST) : interpreted(lines)
}

function headed(lines: string[]): CodeProblem[] {
  const problems: CodeProblem[] = []
  let open: { message: string; place: RegExp } | null = null
  for (const line of lines) {
    const panic = RUST_PANIC.exec(line)
    if (panic) problems.push({ line: Number(panic[2]), message: panic[1]! })
    for (const { message, place } of HEADED) {
      const found = message.exec(line)
      if (found) open = { message: found[1]!, place }
    }
    const at = open?.place.exec(line)
    if (open && at) {
      problems.push({ line: Number(at[1]), message: open.message })
      open = null
    }
  }
  return problems
}

function interpreted(lines: string[]): CodeProblem[] {
  const problems: CodeProblem[] = []
  let place: number | null = null
  let file: string | null = null
  for (const line of lines) {
    const python = PYTHON.exec(line)
    const raised = RAISED.exec(line.trim())
    if (python) {
      // Frames of libraries have other files; the first frame is the user's.
      file ??= python[1]!
      if (python[1] === file) place = Number(python[2])
    } else if (SCRIPT.test(line)) {
      place = Number(SCRIPT.exec(line)![1])
    } else if (place === null && SCRIPT_FRAME.test(line)) {
      place = Number(SCRIPT_FRAME.exec(line)![1])
    } else if (raised && place !== null && !line.startsWith(' ')) {
      problems.push({ line: place, message: raised[1]! })
      place = file = null
    }
  }
  return problems.slice(0, MOST)
}
