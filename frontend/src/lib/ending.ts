/* How a match ended for the user, in a line. Known as soon as it is over, whatever turn the board still shows. Pure. */
import type { SeatFault } from '../viewer/faults'
import { perspectiveSeat, reasonText, verdict } from './results'
import type { Match, MatchSeat } from './types'

export interface Ending {
  /** "Lost in turn 26". */
  what: string
  /** "Keystone made a line of 4"; empty where the rules give no reason. */
  why: string
  tone: 'good' | 'bad' | 'even'
  /** Where it was decided. */
  turn: number
}

const FAULTS: Record<string, string> = {
  timeout: 'Timed out',
  crash: 'Crashed',
  flood: 'Wrote too much',
  invalid: 'Invalid reply',
  illegal: 'Illegal move',
  resigned: 'Resigned',
}
const STDERR = '; last stderr: '

/** The user's own seat: of the code in the editor if it plays, which belongs to no bot. */
export function ownSeat(match: Match): MatchSeat | null {
  return match.seats.find((seat) => seat.mine && seat.bot_id === null) ?? perspectiveSeat(match, null)
}

/** Null before the match is over, and for matches of others. `line`: where in the user's code it crashed. */
export function endingOf(match: Match, faults: SeatFault[], line?: number): Ending | null {
  const own = ownSeat(match)
  const result = own && verdict(match, own)
  if (!own || !result) return null
  const last = match.turns ?? 0
  const fault = own.fault && faults.find(({ seat, kind }) => kind === own.fault && isOwn(match, own, seat))
  if (fault) {
    const place = line === undefined ? `turn ${fault.turn}` : `turn ${fault.turn}, line ${line}`
    return { what: `${FAULTS[fault.kind] ?? fault.kind} in ${place}`, why: shortFault(fault.message), tone: 'bad', turn: fault.turn }
  }
  return { what: `${result.text} in turn ${last}`, why: reasonText(match), tone: result.tone, turn: last }
}

/** "Crashed in turn 3: NameError: …". */
export const faultText = ({ kind, turn, message }: SeatFault): string =>
  `${FAULTS[kind] ?? kind} in turn ${turn}: ${shortFault(message)}`

/** A submission may fill several seats. */
const isOwn = (match: Match, own: MatchSeat, seat: number): boolean =>
  match.seats[seat]?.submission_id === own.submission_id

/** What the bot itself said is worth more than how its process ended. */
function shortFault(message: string): string {
  const at = message.indexOf(STDERR)
  return at < 0 ? message : message.slice(at + STDERR.length)
}
