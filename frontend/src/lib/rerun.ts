/* The way from a match to the editor, with the same opponent, seat and seed for the code that is there. Pure. */
import { ownSeat } from './ending'
import type { MatchOptions } from './run.svelte'
import type { Fork, Match } from './types'

/** Null where the match was not the user's, or a team had several bots, or one of others a draft. */
export function rerunAddress(match: Match): string | null {
  const own = ownSeat(match)
  const others = match.seats.filter((seat) => seat.team !== own?.team)
  const teams = new Map(others.map((seat) => [seat.team, seat.bot_id]))
  const [opponent, ...rest] = teams.values()
  if (!own || !opponent || rest.includes(null) || others.some((seat) => seat.bot_id !== teams.get(seat.team))) return null
  const beside = match.seats.filter((seat) => seat.team === own.team)
  if (beside.some((one) => one.submission_id !== own.submission_id)) return null
  const seat = beside[0]!.seat
  const choice = { opponent: String(opponent), ...(rest.length ? { others: rest.join('-') } : {}), entrants: String(1 + teams.size), seat: String(seat), seed: match.seed ?? '', level: String(match.league), match: String(match.id) }
  return `/play/${match.game}?${new URLSearchParams(choice).toString()}`
}

/** A match to play again: with these options, and which it was, so that both can be compared. */
export interface Rerun {
  options: MatchOptions
  match: number | null
}

/** What an address asks for; null where it asks for nothing. `top`: the rules level of the full game. */
export function rerunOf(params: URLSearchParams, top: number): Rerun | null {
  const [opponent, seed, level, match] = ['opponent', 'seed', 'level', 'match'].map((name) => params.get(name) ?? '') as [string, string, string, string]
  if (!/^\d{1,15}$/.test(opponent) || !/^-?\d{1,20}$/.test(seed)) return null
  const simpler = /^\d{1,2}$/.test(level) && Number(level) < top
  const others = /^\d{1,15}(-\d{1,15}){0,61}$/.test(params.get('others') ?? '') ? params.get('others')!.split('-') : []
  const entrants = /^\d{1,2}$/.test(params.get('entrants') ?? '') ? params.get('entrants')! : ''
  const options = { opponent, others, entrants, seed, seat: Number(params.get('seat')) || 0, mixed: 0, level: simpler ? level : '' }
  return { options, match: /^[1-9]\d{0,14}$/.test(match) ? Number(match) : null }
}

/** The way to the editor to play on from this turn with the code there; null where nothing follows it, or for others' matches. */
export function forkAddress(match: Match, turn: number): string | null {
  if (!canFork(match, turn)) return null
  return `/play/${match.game}?fork=${match.id}&turn=${turn}`
}

export const canFork = (match: Match, turn: number): boolean =>
  match.state === 'done' && turn < (match.turns ?? 0) && match.seats.some((seat) => seat.mine)

/** The turn of a match that an address wants to play on from. */
export function forkOf(params: URLSearchParams): Fork | null {
  const [match, turn] = [params.get('fork') ?? '', params.get('turn') ?? '']
  return /^[1-9]\d{0,14}$/.test(match) && /^\d{1,4}$/.test(turn) ? { match: Number(match), turn: Number(turn) } : null
}

/** The parameters of such addresses. */
export const RERUN_PARAMETERS = { fork: null, turn: null, opponent: null, others: null, entrants: null, seat: null, seed: null, level: null, match: null }

export const sameOptions = (one: MatchOptions, other: MatchOptions): boolean =>
  one.opponent === other.opponent && one.others.join() === other.others.join() && one.entrants === other.entrants && one.seat === other.seat && one.mixed === other.mixed && one.seed.trim() === other.seed.trim() && one.level === other.level
