/* Finds lines of the user's code in what a compiler or an interpreter printed. */

export interface CodeProblem {
  /** From 1. */
  line: number
  message: string
}

const PYTHON = /^\s*File "(?:.*\/)?([^"/]+)", line (\d+)/
const COMPILER = /^(?:.*\/)?[\w.-]+\.(?:cpp|cc|c|h|hpp):(\d+)(?::\d+)?: (?:fatal )?error: (.+)$/
const SCRIPT = /^(?:file:\/\/)?(?:.*\/)?[\w.-]+\.m?js:(\d+)(?::\d+)?$/
const SCRIPT_FRAME = /^\s+at .*?[\w.-]+\.m?js:(\d+):\d+\)?$/
const RAISED = /^([\w.]*(?:Error|Exception|Interrupt|Exit|Iteration)\b.*)$/
const MOST = 20

/** In the order of the text; for a Python or JavaScript failure the last line that is the user's own. */
export function findProblems(log: string): CodeProblem[] {
  const lines = log.split('\n')
  const compiled = lines.flatMap((line) => {
    const found = COMPILER.exec(line)
    return found ? [{ line: Number(found[1]), message: found[2]! }] : []
  })
  if (compiled.length) return compiled.slice(0, MOST)
  return interpreted(lines)
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
