/* The lines of a source with the common runs that they are part of. Pure. */

export interface MarkedLine {
  number: number
  text: string
  /** Numbers of runs, from 1. */
  runs: number[]
  /** Those of them that begin here. */
  begins: number[]
}

/** `spans`: first and last line of each run, from 1, in the order of their numbers. */
export function markedLines(text: string, spans: readonly (readonly number[])[]): MarkedLine[] {
  const lines: MarkedLine[] = text.split('\n').map((line, index) => ({ number: index + 1, text: line, runs: [], begins: [] }))
  spans.forEach(([first = 1, last = 0], index) => {
    for (let number = first; number <= Math.min(last, lines.length); number++) lines[number - 1]!.runs.push(index + 1)
    lines[first - 1]?.begins.push(index + 1)
  })
  return lines
}
