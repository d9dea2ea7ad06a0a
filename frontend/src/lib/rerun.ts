/* The way from a match to the editor, with the same opponent, seat and seed for the code that is there. Pure. */
import { ownSeat } from './ending'
import type { MatchOptions } from './run.svelte'
import type { Match } from './types'

/** Null where the match was not the user's, or had other than two teams, or a draft as the opponent. */
export function rerunAddress(match: Match): string | null {
  const own = ownSeat(match)
  const others = match.seats.filter((seat) => seat.team !== own?.team)
  const opponent = others[0]?.bot_id
  if (!own || !opponent || others.some((seat) => seat.bot_id !== opponent)) return null
  const seat = match.seats.find((one) => one.team === own.team)!.seat
  const search = new URLSearchParams({ opponent: String(opponent), seat: String(seat), seed: match.seed })
  return `/play/${match.game}?${search.toString()}`
}

/** The options that an address names; null where it names none. */
export function optionsOf(params: URLSearchParams): Partial<MatchOptions> | null {
  const opponent = params.get('opponent') ?? ''
  const seed = params.get('seed') ?? ''
  if (!/^\d{1,15}$/.test(opponent) || !/^-?\d{1,20}$/.test(seed)) return null
  return { opponent, seed, seat: Number(params.get('seat')) || 0 }
}
