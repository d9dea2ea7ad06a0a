/* The CPU time of a seat's turns as a small chart: columns of turns, each as high as its slowest one. Pure. */
import type { Frame } from './lines'
import type { Exchange } from './replay'

/** Columns are cut off at this share of the limit. */
export const TOP = 1.25

/** A turn of a seat. `ms`: wall-clock time, which only the owner gets. `lost`: there was no reply. */
export interface Timed {
  t: number
  cpu: number
  ms?: number
  lost: boolean
}

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

/** The turns of a seat. */
export interface SeatTimes {
  seat: number
  log: Timed[]
}

/** Kinds of faults that leave a turn without a reply. */
const LOST = ['timeout', 'crash', 'flood']

/** From a seat's private log. */
export const timesOfLog = (log: Exchange[]): Timed[] => log.map(({ t, cpu, ms, o }) => ({ t, cpu, ms, lost: o === null }))

/** From the public replay; empty if it has no times. */
export function timesOfSeat(frames: Frame[], seat: number): Timed[] {
  return frames.flatMap(({ t, cpu, faults }) => {
    const used = cpu?.[seat]
    if (used === undefined || used === null) return []
    return [{ t, cpu: used, lost: (faults ?? []).some(([of, kind]) => of === seat && LOST.includes(kind)) }]
  })
}

/** The same for all seats but these; without the seats that have no times. */
export function timesOfOthers(frames: Frame[], seats: number, without: number[]): SeatTimes[] {
  return Array.from({ length: seats }, (_, seat) => seat)
    .filter((seat) => !without.includes(seat))
    .map((seat) => ({ seat, log: timesOfSeat(frames, seat) }))
    .filter(({ log }) => log.length > 0)
}

/** The first turn of a log has a limit of its own. */
export const limitOf = (at: number, { firstMs, turnMs }: Limits): number => (at === 0 ? firstMs : turnMs)

/** What a turn used of its limit: 1 is all of it. */
export const shareOf = (log: Timed[], at: number, limits: Limits): number => log[at]!.cpu / limitOf(at, limits)

/** Groups the log into at most `most` columns, in order. */
export function columns(log: Timed[], limits: Limits, most: number): Column[] {
  const count = Math.min(most, log.length)
  return Array.from({ length: count }, (_, column) => {
    const from = Math.floor((column * log.length) / count)
    const to = Math.floor(((column + 1) * log.length) / count)
    let at = from
    for (let i = from + 1; i < to; i++) if (shareOf(log, i, limits) > shareOf(log, at, limits)) at = i
    const bad = log.slice(from, to).some((turn, i) => turn.lost || shareOf(log, from + i, limits) > 1)
    return { from, at, share: Math.min(TOP, shareOf(log, at, limits)), bad }
  })
}

/** The turn that used most of its limit, by its place in the log; undefined if there is none. */
export function slowest(log: Timed[], limits: Limits): number | undefined {
  return columns(log, limits, 1)[0]?.at
}

export const ms = (value: number): string => value.toFixed(value < 1000 ? 1 : 0)

/** "CPU 31.2 of 50 ms, wall 33.0 ms". */
export function timeText(log: Timed[], at: number, limits: Limits): string {
  const { cpu, ms: wall } = log[at]!
  const used = `CPU ${ms(cpu)} of ${limitOf(at, limits)} ms`
  return wall === undefined ? used : `${used}, wall ${ms(wall)} ms`
}
