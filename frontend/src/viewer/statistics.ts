/* Statistics that a bot writes to stderr, `[TDATA] key = value` of a turn and `[PDATA] key = value` of the match, and
   their charts. The same lines are parsed in games/statistics.py; both are tested with tests/games/statistics.json. Pure. */
import type { Exchange } from './replay'

export type Value = number | string

/** Keys of each kind that a bot may have; later ones are ignored. */
const KEYS = 64
/** Characters of a key, and of a value. */
const WORD = 64
const LINE = /^\[(TDATA|PDATA\+?)\][ \t]+([^ \t=]+)[ \t]*=[ \t]*([^ \t]+)(?:[ \t].*)?$/s
const MARK = /^\[(TDATA|PDATA\+?)\]/
const NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/

/** `player`: key -> its last value, or sum; `turns`: key -> turn -> its last value there; `ignored`: lines. */
export interface Statistics {
  player: Map<string, Value>
  turns: Map<string, Map<number, Value>>
  ignored: number
}

/** What a seat reported in a match: (turn, stderr), in order. */
export function statisticsOf(stderr: Iterable<[turn: number, text: string]>): Statistics {
  const found: Statistics = { player: new Map(), turns: new Map(), ignored: 0 }
  for (const [turn, text] of stderr) {
    if (!text.includes('DATA')) continue
    for (const line of text.split('\n')) {
      const stripped = line.replace(/^[ \t\r]+/, '').replace(/[ \t\r]+$/, '')
      if (MARK.test(stripped) && !take(found, turn, stripped)) found.ignored++
    }
  }
  return found
}

/** Returns whether the line counts. */
function take(found: Statistics, turn: number, line: string): boolean {
  const [, kind, key, word] = LINE.exec(line) ?? []
  if (key === undefined || word === undefined) return false
  const known = kind === 'TDATA' ? found.turns : found.player
  if ([...key].length > WORD || [...word].length > WORD || (!known.has(key) && known.size >= KEYS)) return false
  const value = valueOf(word)
  if (kind === 'TDATA') found.turns.set(key, (found.turns.get(key) ?? new Map<number, Value>()).set(turn, value))
  else if (kind === 'PDATA') found.player.set(key, value)
  else return add(found.player, key, value)
  return true
}

function add(player: Map<string, Value>, key: string, value: Value): boolean {
  const before = player.get(key) ?? 0
  if (typeof value === 'string' || typeof before === 'string' || !Number.isFinite(before + value)) return false
  player.set(key, before + value)
  return true
}

/** A number if the word is a finite one, else the word itself. */
export function valueOf(word: string): Value {
  const number = NUMBER.test(word) ? Number(word) : NaN
  return Number.isFinite(number) ? number : word
}

/** From a seat's private log. */
export const statisticsOfLog = (log: Exchange[]): Statistics => statisticsOf(log.map(({ t, e }) => [t, e]))

// --- Charts ----------------------------------------------------------------------------------------------------------

/** The values of a key. `points`: those that are numbers. */
export interface Chart {
  key: string
  values: [turn: number, value: Value][]
  points: [turn: number, value: number][]
  low: number
  high: number
}

/** A chart for each key that has a value in a turn, in the order in which they came. */
export function chartsOf({ turns }: Statistics): Chart[] {
  return [...turns].map(([key, of]) => {
    const values = [...of].sort(([one], [other]) => one - other)
    const points = values.filter((one): one is [number, number] => typeof one[1] === 'number')
    const [low, high] = points.reduce(([least, most], [, value]) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity])
    return { key, values, points, low, high }
  })
}

/** The last value in a turn or before it. */
export const valueAt = (values: [number, Value][], turn: number): Value | undefined => values.findLast(([t]) => t <= turn)?.[1]

/** The points of an SVG polyline in a square of 1, upwards; turns from `first` to `last`. One point is a line across. */
export function lineOf({ points, low, high }: Chart, first: number, last: number): string {
  const at = ([turn, value]: [number, number]): string => {
    const x = last > first ? (turn - first) / (last - first) : 0
    // Halves, since the difference of two numbers may be beyond all numbers.
    const y = high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5
    return `${round(x)},${round(1 - y)}`
  }
  return points.length === 1 ? '0,0.5 1,0.5' : points.map(at).join(' ')
}

const round = (share: number): number => Math.round(share * 10_000) / 10_000

/** A value in few characters. */
export const short = (value: Value): string => (typeof value === 'string' ? value : String(Number(value.toPrecision(6))))
