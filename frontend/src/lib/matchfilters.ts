/* The filters of a list of matches: from the address to the API's query, and to words. Pure. */
import type { Match } from './types'

/** In the order of the form. */
export const FILTERS = [
  'mine', 'game', 'bot', 'version', 'opponent', 'result', 'seat', 'reason', 'fault', 'kind', 'league', 'since', 'until', 'seed', 'duel', 'state',
] as const
export type Filter = (typeof FILTERS)[number]
export type Chosen = Partial<Record<Filter, string>>

export const RESULTS: Record<string, string> = { win: 'won', draw: 'drawn', loss: 'lost' }
export const FAULTS: Record<string, string> = {
  any: 'any fault',
  timeout: 'timeout',
  crash: 'crash',
  flood: 'wrote too much',
  invalid: 'invalid reply',
  illegal: 'illegal move',
}
export const KINDS: Record<string, string> = {
  ladder: 'ladder',
  placement: 'placement',
  promotion: 'promotion',
  duel: 'duel',
  event: 'event',
  'event ladder': 'event’s ladder',
  marking: 'marking',
  check: 'check',
  practice: 'practice (yours)',
}
/** What is about the side that a list is seen from, and means nothing without one. */
const OF_A_SIDE: Filter[] = ['opponent', 'result', 'seat']
/** What another game has others of. */
const OF_A_GAME: Filter[] = ['bot', 'version', 'opponent', 'seat', 'reason', 'league']
/** A match that is new is known to fit if only these are chosen. */
const PLAIN: Filter[] = ['mine', 'game', 'bot', 'kind']

/** What is chosen in an address. Without a side, what is about one is left out; `result=fault` is an older name. */
export function chosenIn(params: URLSearchParams): Chosen {
  const chosen: Chosen = {}
  for (const name of FILTERS) {
    const value = params.get(name)
    if (value && (name !== 'mine' || value === 'true')) chosen[name] = value
  }
  if (!chosen.bot && !chosen.mine) for (const name of OF_A_SIDE) delete chosen[name]
  if (!chosen.bot) delete chosen.version
  if (chosen.result === 'fault') {
    delete chosen.result
    chosen.fault ??= 'any'
  }
  return chosen
}

/** What an address changes to when one filter changes: others that then mean nothing go. */
export function changeOf(name: Filter, value: string): Record<string, string | null> {
  const gone: Filter[] = name === 'game' ? OF_A_GAME : name === 'bot' ? ['version', ...(value ? [] : OF_A_SIDE)] : name === 'mine' && !value ? OF_A_SIDE : []
  return { ...Object.fromEntries(gone.map((other) => [other, null])), [name]: value || null }
}

export const cleared: Record<string, null> = Object.fromEntries(FILTERS.map((name) => [name, null]))

/** Names of what the address has ids of. */
export interface Names {
  bot?: string
  opponent?: string
  game?: string
}

/** A chip: "Opponent: Keystone". */
export function chipText(name: Filter, value: string, names: Names): string {
  const words: Record<Filter, () => string> = {
    mine: () => 'My bots',
    game: () => names.game ?? value,
    bot: () => `Bot: ${names.bot ?? value}`,
    version: () => `Version ${value}`,
    opponent: () => `Against: ${names.opponent ?? value}`,
    result: () => `Result: ${RESULTS[value] ?? value}`,
    seat: () => `Seat ${value}`,
    reason: () => `Ended: ${value}`,
    fault: () => `Fault: ${FAULTS[value] ?? value}`,
    kind: () => `Kind: ${KINDS[value] ?? value}`,
    league: () => `Rules level ${value}`,
    since: () => `Since ${value}`,
    until: () => `Until ${value}`,
    seed: () => `Seed ${value}`,
    duel: () => `Duel ${value}`,
    state: () => `State: ${value}`,
  }
  return words[name]()
}

/** Whether a match that is new belongs into the list; false where only the arena could say. */
export function fits(match: Match, chosen: Chosen): boolean {
  const others = Object.keys(chosen).filter((name) => !PLAIN.includes(name as Filter))
  return (
    others.length === 0 &&
    (!chosen.game || match.game === chosen.game) &&
    (chosen.kind ? match.kind === chosen.kind : match.kind !== 'duel') &&
    (!chosen.bot || match.seats.some((seat) => String(seat.bot_id) === chosen.bot)) &&
    (!chosen.mine || match.seats.some((seat) => seat.mine))
  )
}

/** The address of a list of matches. */
export function matchesAddress(chosen: Partial<Record<Filter, string | number | null | undefined>>): string {
  const pairs = Object.entries(chosen).filter(([, value]) => value !== null && value !== undefined && value !== '')
  return `/matches?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()}`
}
