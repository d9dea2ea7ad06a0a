/* What happened in a match, as a sentence: "Queen beat Regent 82:61, turn 100". Pure. */
import { whole } from './format'
import { entrants, entrantName, reasonText, stateText, type Entrant } from './results'
import type { Match } from './types'

/** A piece of a sentence; `who`: it is this bot's name. */
export interface Piece {
  text: string
  who?: Entrant
  won?: boolean
}

const VERBS: Record<string, string> = {
  timeout: 'timed out',
  crash: 'crashed',
  flood: 'wrote too much',
  invalid: 'gave an invalid reply',
  illegal: 'made an illegal move',
}
const STDERR = '; last stderr: '

/** The sentence in pieces, so that names can be shown with their players' shapes. */
export function storyOf(match: Match): Piece[] {
  const all = entrants(match)
  if (match.state !== 'done') return [...named(all, ' against '), { text: `: ${lowered(stateText(match))}` }]
  const faulty = all.filter((one) => one.fault)
  if (faulty.length) return ofFaults(match, all, faulty)
  const teams = byRank(all)
  const turn = match.turns === null ? '' : `, turn ${match.turns}`
  const first = teams.filter((team) => team[0]!.rank === 0)
  const rest = teams.filter((team) => team[0]!.rank !== 0)
  const ending = { text: `${scores(teams)}${turn}` }
  if (!rest.length) return [...joined(first, ' drew with '), ending]
  if (first.length > 1) return [...joined(first, ' and ', true), { text: ' shared the first place before ' }, ...joined(rest, ', '), ending]
  return [...joined(first, '', true), { text: ' beat ' }, ...joined(rest, ', '), ending]
}

export const storyText = (match: Match): string => storyOf(match).map((piece) => piece.text).join('')

/** Below the sentence: why it ended, or what a faulty bot did. */
export function storyReason(match: Match): string {
  if (match.state !== 'done') return ''
  const fatal = entrants(match).flatMap((one) => faultOf(match, one) ?? [])
  return fatal.map(({ message }) => shortMessage(message)).filter(Boolean).join('; ') || reasonText(match)
}

/** What a bot itself said is worth more than how its process ended. */
export function shortMessage(message: string): string {
  const at = message.indexOf(STDERR)
  return at < 0 ? message : message.slice(at + STDERR.length)
}

/** The fault that disqualified an entrant, if it is still known. */
export const faultOf = (match: Match, one: Entrant): Match['faults'][number] | undefined =>
  match.faults.find(({ seat, kind }) => kind === one.fault && match.seats[seat]?.submission_id === one.submission_id)

function ofFaults(match: Match, all: Entrant[], faulty: Entrant[]): Piece[] {
  const pieces = faulty.flatMap((one, index) => {
    const turn = faultOf(match, one)?.turn
    const what = `${VERBS[one.fault!] ?? one.fault}${turn === undefined ? '' : ` in turn ${turn}`}`
    return [{ text: index ? ', ' : '' }, name(one), { text: ` ${what}` }]
  })
  const winners = all.filter((one) => one.rank === 0 && !faulty.includes(one))
  const decided = all.some((one) => one.rank !== 0)
  return winners.length && decided ? [...pieces, { text: ', ' }, ...joined([winners], '', true), { text: ' won' }] : pieces
}

/** Teams, best first. */
function byRank(all: Entrant[]): Entrant[][] {
  const teams = new Map<number, Entrant[]>()
  for (const one of all) teams.set(one.team, [...(teams.get(one.team) ?? []), one])
  return [...teams.values()].sort((a, b) => (a[0]!.rank ?? 0) - (b[0]!.rank ?? 0))
}

const name = (who: Entrant, won = false): Piece => ({ text: entrantName(who), who, won })

/** "A and B": members of a team; `between` two teams. */
const joined = (teams: Entrant[][], between: string, won = false): Piece[] =>
  teams.flatMap((team, index) => [...(index ? [{ text: between }] : []), ...named(team, ' and ', won)])

const named = (list: Entrant[], between: string, won = false): Piece[] =>
  list.flatMap((one, index) => [...(index ? [{ text: between }] : []), name(one, won)])

/** " 82:61"; empty where a team of several has no one score. */
function scores(teams: Entrant[][]): string {
  const points = teams.map((team) => (team.length === 1 ? team[0]!.score : null))
  return points.every((one) => one !== null) ? ` ${points.map((one) => whole(one!)).join(':')}` : ''
}

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
