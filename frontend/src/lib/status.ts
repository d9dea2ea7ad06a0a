/* The arena's state in words and as points of charts. Pure. */
import type { ArenaStatus, MinuteOfMatches, Moment, QueueStatus } from './types'

export const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
/** A chart whose values are all smaller ends here, so that one waiting match is no mountain. */
const LEAST_TOP = 4

/** A value at a time, for a chart. */
export interface Point {
  at: number
  value: number
}

/** The queue of one kind in all games. */
export interface QueueRow {
  kind: string
  waiting: number
  playing: number
  paused: number
  oldest: number | null
  games: string[]
}

/** What the figures call a cause -> what people read. */
const CAUSES: Record<string, string> = {
  overload: 'the machine was overloaded',
  sandbox: 'no sandbox could be made',
  game: 'the game is missing or failed',
  store: 'the database or the store of replays did not answer',
  disk: 'the disk was full',
  bug: 'a bug of ours',
  silence: 'the worker went silent',
  withdrawn: 'no longer wanted',
}
export const causeName = (cause: string): string => CAUSES[cause] ?? cause

/** A length of time in few characters: 12 s, 3 min, 5 h, 2 days. */
export function span(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

export const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(bytes < 1e10 ? 1 : 0)} GB`

export const percent = (share: number): string => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`

/** A row for each kind, in the order in which they are played. */
export function queueRows(queue: readonly QueueStatus[]): QueueRow[] {
  const rows = new Map<string, QueueRow>()
  for (const one of queue) {
    const row = rows.get(one.kind) ?? { kind: one.kind, waiting: 0, playing: 0, paused: 0, oldest: null, games: [] }
    row.waiting += one.waiting
    row.playing += one.playing
    row.paused += one.paused
    if (one.oldest_s !== null) row.oldest = Math.max(row.oldest ?? 0, one.oldest_s)
    row.games.push(one.game)
    rows.set(one.kind, row)
  }
  return [...rows.values()]
}

export const pointsOf = (history: readonly Moment[], value: (moment: Moment) => number): Point[] =>
  history.map((moment) => ({ at: Date.parse(moment.at), value: value(moment) }))

/** A point for each whole minute since the first in which a match ended; minutes without one are 0. */
export function perMinute(minutes: readonly MinuteOfMatches[], now: number, value: (minute: MinuteOfMatches) => number): Point[] {
  const known = new Map(minutes.map((minute) => [Date.parse(minute.at), value(minute)]))
  const points: Point[] = []
  const last = Math.floor(now / MINUTE_MS) * MINUTE_MS - MINUTE_MS
  // The minute that is an hour ago is not whole.
  const first = Math.max(Math.min(...known.keys()), last - 58 * MINUTE_MS)
  for (let at = first; at <= last; at += MINUTE_MS) points.push({ at, value: known.get(at) ?? 0 })
  return points
}

/** The top of a chart's scale: a round number that no value is above. */
export function topOf(points: readonly Point[]): number {
  const most = Math.max(LEAST_TOP, ...points.map((point) => point.value))
  const step = 10 ** Math.floor(Math.log10(most))
  const factor = [1, 2, 5, 10].find((one) => one * step >= most) ?? 10
  return factor * step
}

/** An SVG polyline over the last hour: x from 0 to 1, y from 1 (nothing) to 0 (`top`). */
export const lineOf = (points: readonly Point[], now: number, top: number): string =>
  points
    .filter((point) => point.at >= now - HOUR_MS && point.at <= now)
    .map((point) => `${(1 - (now - point.at) / HOUR_MS).toFixed(4)},${(1 - point.value / top).toFixed(4)}`)
    .join(' ')

/** What somebody should look at, in a sentence each; none on a good day. */
export function worries(status: ArenaStatus): string[] {
  const figures = status.figures
  const found = [...status.missing, ...status.left_out, ...(status.troubles ?? [])]
  if (status.disk_free_bytes < 0.1 * status.disk_size_bytes)
    found.push(`Only ${gigabytes(status.disk_free_bytes)} of the data folder's disk are free.`)
  if (!figures) return found
  const rate = figures.recent.void_rate
  if (rate !== null && rate > 0.05) found.push(`${percent(rate)} of the last hour's matches are void because something failed here.`)
  if (figures.event_lag_s > 10) found.push(`Pages learn about changes ${span(figures.event_lag_s)} late.`)
  for (const worker of figures.workers) if (!worker.up) found.push(`The worker ${worker.host}:${worker.process} has been silent for ${span(worker.seen_s)}.`)
  for (const ladder of figures.ladders)
    if (ladder.pending > 0 && ladder.refitted_s !== null && ladder.refitted_s > 900)
      found.push(`${ladder.pending} results of ${ladder.game} wait for a refit; the last one was ${span(ladder.refitted_s)} ago.`)
  return found
}
