import { expect, test } from 'vitest'
import { optionsOf, rerunAddress } from '../src/lib/rerun'
import type { Match, MatchSeat } from '../src/lib/types'

const seat = (number: number, team: number, bot_id: number | null, mine: boolean): MatchSeat =>
  ({ seat: number, team, bot_id, mine, submission_id: 10 + (bot_id ?? 0), rank: team }) as MatchSeat
const match = (...seats: MatchSeat[]): Match => ({ game: 'ants', seed: '-42', state: 'done', seats }) as Match

test('a match leads to the editor with its opponent, seat and seed', () => {
  const address = rerunAddress(match(seat(0, 0, 7, false), seat(1, 1, 8, true)))
  expect(address).toBe('/play/ants?opponent=7&seat=1&seed=-42')
  expect(optionsOf(new URL(address!, 'http://x').searchParams)).toEqual({ opponent: '7', seat: 1, seed: '-42' })
})

test('a team is named by its first seat', () => {
  const teams = [seat(0, 0, 7, false), seat(1, 0, 7, false), seat(2, 1, null, true), seat(3, 1, null, true)]
  expect(rerunAddress(match(...teams))).toBe('/play/ants?opponent=7&seat=2&seed=-42')
})

test('not so the matches of others, against drafts, or of many bots', () => {
  expect(rerunAddress(match(seat(0, 0, 7, false), seat(1, 1, 8, false)))).toBeNull()
  expect(rerunAddress(match(seat(0, 0, null, false), seat(1, 1, 8, true)))).toBeNull()
  expect(rerunAddress(match(seat(0, 0, 7, false), seat(1, 1, 8, true), seat(2, 2, 9, false)))).toBeNull()
})

test('an address without all of it, or with nonsense, changes nothing', () => {
  for (const search of ['', 'opponent=7', 'opponent=x&seed=1', `opponent=7&seed=${'9'.repeat(80)}`]) {
    expect(optionsOf(new URLSearchParams(search))).toBeNull()
  }
})
