/* Finds errors with lines of the user's code in the output of a compiler or an interpreter. */

export interface CodeProblem {
  /** Counted from 1. */
  line: number
  message: string
}

const PYTHON = /^\s*File "([^"]+)", line (\d+)/
const COMPILER = /^(?:.*\/)?[\w.-]+\.(?:cpp|cc|c|h|hpp|java|kt|hs):(\d+)(?::\d+)?: (?:fatal )?error: (.+)$/
const GO = /^(?:.*\/)?[\w.-]+\.go:(\d+):\d+: (.+)$/
const CSHARP = /^(?:.*\/)?[\w.-]+\.cs\((\d+),\d+\+?\): error (?:\w+: )?(.+)$/
const RUBY = /^(?:\/bot\/)?[\w.-]+\.rb:(\d+):(?! warning)(?:in [^:]+:)? (.+)$/
/** D's compiler, and what its programs throw. */
const D = /^(?:[\w.]+@)?(?:.*\/)?[\w.-]+\.d\((\d+)(?:,\d+)?\): (?:Error: )?(.+)$/
const PASCAL = /^(?:.*\/)?[\w.-]+\.pas\((\d+),\d+\) (?:Error|Fatal): (.+)$/
const LUA = /^luac?[\d.]*: (?:\/bot\/)?[\w.-]+\.lua:(\d+): (.+)$/
/** Bash repeats the line of a syntax error behind a backtick. */
const BASH = /^(?:\/bot\/)?[\w.-]+\.sh: line (\d+): (?!`)(.+)$/
const PLACE_FIRST = [COMPILER, GO, CSHARP, RUBY, D, PASCAL, LUA, BASH]
/** The message comes before the place. */
const PERL = /^(.+) at (?:\/bot\/)?[\w.-]+\.pl line (\d+)[.,].*$/
const PHP = /^(?:PHP )?(?:Parse|Fatal) error: +(?:Uncaught )?(.+) in (?:.*\/)?[\w.-]+\.php(?::| on line )(\d+)$/
const RUST_PANIC = /^thread '.*' panicked at '(.*)', (?:\/bot\/)?[\w-]+\.rs:(\d+):\d+$/
/** Rust since 1.73 writes the message on the next line. */
const RUST_PANIC_PLACE = /^thread '.*' (?:\(\d+\) )?panicked at (?:\/bot\/)?[\w-]+\.rs:(\d+):\d+:$/
/**
 * A message, and the place that belongs to it some lines below: Rust's compiler and TypeScript's, Go's panics, Java's
 * exceptions, and what Ruby's own libraries raise.
 */
const HEADED: { message: RegExp; place: RegExp }[] = [
  { message: /^error(?:\[\w+\])?: (.+)$/, place: /^\s*--> (?:.*\/)?[\w.-]+\.rs:(\d+):\d+$/ },
  { message: /^✘ \[ERROR\] (.+)$/, place: /^\s+(?:.*\/)?[\w.-]+\.ts:(\d+):\d+:$/ },
  { message: /^panic: (.+)$/, place: /^\s+(?:.*\/)?bot\.go:(\d+)\b/ },
  { message: /^(?:<internal:|\/(?!bot\/)).*:\d+:in [^:]+: (.+)$/, place: /^\s+from (?:\/bot\/)?[\w-]+\.rb:(\d+):in / },
  { message: /^Exception in thread "[^"]*" (.+)$/, place: /^\s+at (?!java\.|jdk\.|sun\.).*\([\w.-]+\.(?:java|kt):(\d+)\)$/ },
  { message: /^Unhandled exception\. (.+)$/, place: /^\s+at .* in (?:.*\/)?[\w.-]+\.cs:line (\d+)$/ },
  { message: /^bot: (.+)$/, place: /^\s+error, called at (?:.*\/)?[\w.-]+\.hs:(\d+):/ },
]
/** The other way round: Haskell's and OCaml's compilers, which name the place first. */
const PLACED: { place: RegExp; message: RegExp }[] = [
  { place: /^(?:.*\/)?[\w.-]+\.hs:(\d+):\d+: error:$/, message: /^\s+(?:• )?(.+)$/ },
  { place: /^File "(?:.*\/)?[\w.-]+\.ml", lines? (\d+)/, message: /^Error: (.+)$/ },
]
/** Node begins with the place where it stopped, which may be in its own code; the frames below are certain. */
const SCRIPT = /^(?:file:\/\/)?(?:.*\/)?[\w-]+\.(?:m?js|ts):(\d+)(?::\d+)?$/
const SCRIPT_FRAME = /^\s+at (?:.* \()?(?:file:\/\/)?(\S*\/)?([\w-]+\.(?:m?js|cjs|ts)):(\d+):\d+\)?$/
const RAISED = /^([\w.]*(?:Error|Exception|Interrupt|Exit|Iteration)\b.*)$/
const TRACEBACK = /^(?:Traceback \(most recent|During handling|The above exception)/
const LONGEST = 500
const MOST = 20

/**
 * Whether a file in a traceback is the user's: what is in the bot's folder, but for ours beside it. Loaders and
 * evaluated text are called "<start>" and the like, and libraries have other folders.
 */
export function isOwnFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (path.startsWith('<') || name.startsWith('.') || name === 'harness.py') return false
  return !path.includes('/') || path.startsWith('/bot/') || /^bot\.\w+$/.test(name)
}

/** In the order of the text; for a traceback the innermost line that is the user's own. */
export function findProblems(log: string): CodeProblem[] {
  const lines = log.split('\n').map((line) => line.slice(0, LONGEST))
  const compiled = lines.flatMap((line) => {
    const behind = PHP.exec(line) ?? PERL.exec(line)
    if (behind) return [{ line: Number(behind[2]), message: behind[1]! }]
    for (const pattern of PLACE_FIRST) {
      const found = pattern.exec(line)
      if (found) return [{ line: Number(found[1]), message: found[2]! }]
    }
    return []
  })
  const found = [...compiled, ...headed(lines), ...placed(lines)]
  return found.length ? found.slice(0, MOST) : interpreted(lines)
}

function headed(lines: string[]): CodeProblem[] {
  const problems: CodeProblem[] = []
  let open: { message: string; place: RegExp } | null = null
  let place: number | null = null
  for (const line of lines) {
    const panic = RUST_PANIC.exec(line)
    if (panic) problems.push({ line: Number(panic[2]), message: panic[1]! })
    if (place !== null) problems.push({ line: place, message: line })
    place = RUST_PANIC_PLACE.test(line) ? Number(RUST_PANIC_PLACE.exec(line)![1]) : null
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

function placed(lines: string[]): CodeProblem[] {
  const problems: CodeProblem[] = []
  let open: { line: number; message: RegExp } | null = null
  for (const line of lines) {
    const found = open?.message.exec(line)
    if (open && found) {
      problems.push({ line: open.line, message: found[1]! })
      open = null
    }
    for (const { place, message } of PLACED) {
      const at = place.exec(line)
      if (at) open = { line: Number(at[1]), message }
    }
  }
  return problems
}

/** Python names frames from the outermost to the innermost, and then what was raised; Node the other way round. */
function interpreted(lines: string[]): CodeProblem[] {
  const problems: CodeProblem[] = []
  let place: number | null = null
  let raised = ''
  let traced = false
  for (const line of lines) {
    const python = PYTHON.exec(line)
    const frame = SCRIPT_FRAME.exec(line)
    if (python) {
      traced = true
      if (isOwnFile(python[1]!)) place = Number(python[2])
    } else if (SCRIPT.test(line)) {
      place = Number(SCRIPT.exec(line)![1])
    } else if (frame && raised && isOwnFile(`${frame[1] ?? ''}${frame[2]}`)) {
      replaceLast(problems, raised, Number(frame[3]))
      raised = ''
    } else if (RAISED.test(line) || (traced && /^\S/.test(line) && !TRACEBACK.test(line))) {
      // Below its frames Python names whatever was raised, which may be of a class of the user's.
      raised = line
      if (place !== null) problems.push({ line: place, message: raised })
      place = null
      traced = false
    }
  }
  return problems.slice(0, MOST)
}

/** The innermost frame of the user's counts, not the place that Node begins with. */
function replaceLast(problems: CodeProblem[], message: string, line: number): void {
  if (problems.at(-1)?.message === message) problems.pop()
  problems.push({ line, message })
}
