/* The CPU time of a seat's turns as a small chart: columns of turns, each as high as its slowest one. Pure. */
import type { Exchange } from './replay'

/** The highest share of its limit that a column shows; what is above is cut off there. */
export const TOP = 1.25

export interface Limits {
  firstMs: number
  turnMs: number
}

/** Some neighbouring turns, drawn as one column. */
export interface Column {
  /** The first of them, by its place in the log. */
  from: number
  /** The slowest of them, by its place in the log. */
  at: number
  /** Of the limit of its turn, at most TOP. */
  share: number
  /** It had no reply, or took more than its limit. */
  bad: boolean
}

/** The first turn of a log has a limit of its own. */
export const limitOf = (at: number, { firstMs, turnMs }: Limits): number => (at === 0 ? firstMs : turnMs)

/** What a turn used of its limit: 1 is all of it. */
export const shareOf = (log: Exchange[], at: number, limits: Limits): number => log[at]!.cpu / limitOf(at, limits)

/** The log in at most so many columns, in order. */
export function columns(log: Exchange[], limits: Limits, most: number): Column[] {
  const count = Math.min(most, log.length)
  return Array.from({ length: count }, (_, column) => {
    const from = Math.floor((column * log.length) / count)
    const to = Math.floor(((column + 1) * log.length) / count)
    let at = from
    for (let i = from + 1; i < to; i++) if (shareOf(log, i, limits) > shareOf(log, at, limits)) at = i
    const bad = log.slice(from, to).some((turn, i) => turn.o === null || shareOf(log, from + i, limits) > 1)
    return { from, at, share: Math.min(TOP, shareOf(log, at, limits)), bad }
  })
}

/** The turn that used most of its limit, by its place in the log; undefined if there is none. */
export function slowest(log: Exchange[], limits: Limits): number | undefined {
  return columns(log, limits, 1)[0]?.at
}

export const ms = (value: number): string => value.toFixed(value < 1000 ? 1 : 0)

/** "CPU 31.2 of 50 ms, wall 33.0 ms". */
export function timeWords(log: Exchange[], at: number, limits: Limits): string {
  const { cpu, ms: wall } = log[at]!
  return `CPU ${ms(cpu)} of ${limitOf(at, limits)} ms, wall ${ms(wall)} ms`
}
