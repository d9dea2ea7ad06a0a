/*
 * The console: what a bot wrote in all its turns, with its faults, as one text that can be filtered and searched. Pure.
 */
import type { CountedFault } from './faults'
import type { Exchange } from './replay'

export type Stream = 'stdout' | 'stderr' | 'fault'
export const STREAMS: readonly Stream[] = ['stdout', 'stderr', 'fault']

export interface ConsolePart {
  stream: Stream
  text: string
}

/** What there is to show of one turn: at least one part. */
export interface ConsoleTurn {
  turn: number
  parts: ConsolePart[]
}

/** A piece of text, and whether it is what was searched for. */
export interface Piece {
  text: string
  hit: boolean
}

/** More pieces than this in one part are not marked: a page of marks slows the browser and helps nobody. */
const MOST_PIECES = 400

/** All turns of a seat in order, with the faults that are its own. */
export function consoleOf(log: Exchange[], faults: CountedFault[], seat: number): ConsoleTurn[] {
  const own = faults.filter((fault) => fault.seat === seat)
  const turns = new Map<number, ConsolePart[]>()
  const add = (turn: number, stream: Stream, text: string): void => {
    if (text) turns.set(turn, [...(turns.get(turn) ?? []), { stream, text }])
  }
  for (const { t, o, e } of log) {
    add(t, 'stdout', o === null ? '' : trimmed(o))
    add(t, 'stderr', trimmed(e))
  }
  for (const { turn, kind, message, count } of own) {
    add(turn, 'fault', `${kind}: ${message}${count > 1 ? ` (in ${count} turns)` : ''}`)
  }
  return [...turns].map(([turn, parts]) => ({ turn, parts })).sort((a, b) => a.turn - b.turn)
}

/** Only these streams, and of their lines only those that contain `query`, in whatever case. */
export function filtered(turns: ConsoleTurn[], streams: ReadonlySet<Stream>, query: string): ConsoleTurn[] {
  const wanted = query.toLowerCase()
  const linesOf = (text: string): string =>
    wanted && text.toLowerCase().includes(wanted)
      ? text.split('\n').filter((line) => line.toLowerCase().includes(wanted)).join('\n')
      : wanted
        ? ''
        : text
  return turns
    .map(({ turn, parts }) => ({
      turn,
      parts: parts
        .filter(({ stream }) => streams.has(stream))
        .map(({ stream, text }) => ({ stream, text: linesOf(text) }))
        .filter(({ text }) => text !== ''),
    }))
    .filter(({ parts }) => parts.length > 0)
}

/** The text in pieces, so that what was searched for can be marked. */
export function piecesOf(text: string, query: string): Piece[] {
  if (!query) return [{ text, hit: false }]
  const low = text.toLowerCase()
  const wanted = query.toLowerCase()
  // Some capitals have longer small letters: positions would no longer agree.
  if (low.length !== text.length) return [{ text, hit: false }]
  const pieces: Piece[] = []
  let from = 0
  for (let at = low.indexOf(wanted); at >= 0 && pieces.length < MOST_PIECES; at = low.indexOf(wanted, from)) {
    if (at > from) pieces.push({ text: text.slice(from, at), hit: false })
    pieces.push({ text: text.slice(at, at + wanted.length), hit: true })
    from = at + wanted.length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hit: false })
  return pieces
}

/** The next turn with a fault after this one, from the start again behind the last; null where there is none. */
export function nextFault(turns: ConsoleTurn[], after: number): number | null {
  const faulty = turns.filter(({ parts }) => parts.some(({ stream }) => stream === 'fault')).map(({ turn }) => turn)
  return faulty.find((turn) => turn > after) ?? faulty[0] ?? null
}

/** The input of this turn, or of the seat's last one before it; null where it had none yet. */
export function inputAt(log: Exchange[], turn: number): { turn: number; text: string } | null {
  const found = log.findLast((exchange) => exchange.t <= turn)
  return found ? { turn: found.t, text: found.i } : null
}

const trimmed = (text: string): string => text.replace(/\n+$/, '')
