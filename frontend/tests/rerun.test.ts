import { expect, test } from 'vitest'
import { canFork, forkAddress, forkOf, rerunAddress, rerunOf, sameOptions } from '../src/lib/rerun'
import type { Match, MatchSeat } from '../src/lib/types'

const seat = (number: number, team: number, bot_id: number | null, mine: boolean): MatchSeat =>
  ({ seat: number, team, bot_id, mine, submission_id: 10 + (bot_id ?? 0), rank: team }) as MatchSeat
const match = (...seats: MatchSeat[]): Match => ({ id: 9, game: 'ants', seed: '-42', league: 4, state: 'done', seats }) as Match

test('a match leads to the editor with its opponent, seat and seed', () => {
  const address = rerunAddress(match(seat(0, 0, 7, false), seat(1, 1, 8, true)))
  expect(address).toBe('/play/ants?opponent=7&entrants=2&seat=1&seed=-42&level=4&match=9')
  const { searchParams } = new URL(address!, 'http://x')
  expect(rerunOf(searchParams, 4)).toEqual({ options: { opponent: '7', others: [], entrants: '2', seat: 1, mixed: 0, seed: '-42', level: '' }, match: 9 })
  expect(rerunOf(searchParams, 5)?.options.level).toBe('4')
})

test('a team is named by its first seat', () => {
  const teams = [seat(0, 0, 7, false), seat(1, 0, 7, false), seat(2, 1, null, true), seat(3, 1, null, true)]
  expect(rerunAddress(match(...teams))).toContain('/play/ants?opponent=7&entrants=2&seat=2&seed=-42')
})

test('a match of more than two leads there with everybody, in the order of their seats', () => {
  const address = rerunAddress(match(seat(0, 0, 7, false), seat(1, 1, 8, true), seat(2, 2, 9, false), seat(3, 3, 7, false)))
  expect(address).toContain('opponent=7&others=9-7&entrants=4&seat=1')
  const { options } = rerunOf(new URL(address!, 'http://x').searchParams, 4)!
  expect(options).toMatchObject({ opponent: '7', others: ['9', '7'], entrants: '4', seat: 1 })
  expect(rerunOf(new URLSearchParams('opponent=7&seed=1&others=9-x&entrants=a'), 4)!.options).toMatchObject({ others: [], entrants: '' })
})

test('not so the matches of others, against drafts, or of teams of several bots', () => {
  expect(rerunAddress(match(seat(0, 0, 7, false), seat(1, 1, 8, false)))).toBeNull()
  expect(rerunAddress(match(seat(0, 0, null, false), seat(1, 1, 8, true)))).toBeNull()
  expect(rerunAddress(match(seat(0, 0, 7, false), seat(1, 0, 9, false), seat(2, 1, 8, true)))).toBeNull()
  expect(rerunAddress(match(seat(0, 0, 7, false), seat(1, 1, 8, true), seat(2, 1, 9, false)))).toBeNull()
  expect(rerunAddress(match(seat(0, 0, 7, false), seat(1, 1, 8, true), seat(2, 2, null, false)))).toBeNull()
})

test('an address without all of it, or with nonsense, changes nothing', () => {
  for (const search of ['', 'opponent=7', 'opponent=x&seed=1', `opponent=7&seed=${'9'.repeat(80)}`]) {
    expect(rerunOf(new URLSearchParams(search), 4)).toBeNull()
  }
})

test('only the same options make the same match again', () => {
  const options = { opponent: '7', others: ['8'], entrants: '3', seat: 0, mixed: 0, seed: '5', level: '' }
  expect(sameOptions(options, { ...options, seed: ' 5' })).toBe(true)
  for (const change of [{ opponent: '8' }, { others: ['9'] }, { entrants: '4' }, { seat: 1 }, { mixed: 8 }, { seed: '6' }, { level: '1' }]) {
    expect(sameOptions(options, { ...options, ...change })).toBe(false)
  }
})

test('a turn of an own match leads to the editor, to play on from there', () => {
  const own = { ...match(seat(0, 0, 7, false), seat(1, 1, 8, true)), turns: 30 }
  const address = forkAddress(own, 12)
  expect(address).toBe('/play/ants?fork=9&turn=12')
  expect(forkOf(new URL(address!, 'http://x').searchParams)).toEqual({ match: 9, turn: 12 })
  expect(forkAddress(own, 30)).toBeNull()
  expect(canFork({ ...own, state: 'running' }, 3)).toBe(false)
  expect(canFork({ ...match(seat(0, 0, 7, false), seat(1, 1, 8, false)), turns: 30 }, 3)).toBe(false)
  for (const search of ['', 'fork=9', 'fork=9&turn=-1', 'fork=x&turn=1', 'fork=9&turn=99999']) {
    expect(forkOf(new URLSearchParams(search))).toBeNull()
  }
})
