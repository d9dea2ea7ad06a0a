import { expect, test } from 'vitest'
import { changeOf, chipText, chosenIn, fits, matchesAddress } from '../src/lib/matchfilters'
import type { Match } from '../src/lib/types'

const chosen = (search: string): unknown => chosenIn(new URLSearchParams(search))

test('an address says which filters are active', () => {
  expect(chosen('game=ants&bot=3&result=win&turn=7')).toEqual({ game: 'ants', bot: '3', result: 'win' })
  expect(chosen('')).toEqual({})
})

test('without a side, what is about one is left out', () => {
  expect(chosen('result=win&opponent=3&seat=0&version=2&fault=crash')).toEqual({ fault: 'crash' })
  expect(chosen('mine=true&result=win&version=2')).toEqual({ mine: 'true', result: 'win' })
  expect(chosen('mine=yes')).toEqual({})
})

test('older addresses still work', () => {
  expect(chosen('bot=3&result=fault')).toEqual({ bot: '3', fault: 'any' })
})

test('another game or bot takes what belonged to the one before with it', () => {
  expect(changeOf('game', 'ants')).toMatchObject({ game: 'ants', bot: null, reason: null, opponent: null })
  expect(changeOf('bot', '5')).toEqual({ bot: '5', version: null })
  expect(changeOf('bot', '')).toMatchObject({ bot: null, version: null, result: null, opponent: null, seat: null })
  expect(changeOf('seed', '')).toEqual({ seed: null })
})

test('chips name what is known', () => {
  expect(chipText('opponent', '7', { opponent: 'Keystone' })).toBe('Against: Keystone')
  expect(chipText('bot', '7', {})).toBe('Bot: 7')
  expect(chipText('result', 'loss', {})).toBe('Result: lost')
})

test('a new match is added only where it is known to fit', () => {
  const match = { game: 'ants', kind: 'ladder', seats: [{ bot_id: 3, mine: false }] } as Match
  expect(fits(match, {})).toBe(true)
  expect(fits(match, { game: 'ants', bot: '3', kind: 'ladder' })).toBe(true)
  expect(fits(match, { bot: '4' })).toBe(false)
  expect(fits(match, { mine: 'true' })).toBe(false)
  expect(fits({ ...match, kind: 'duel' }, {})).toBe(false)
  expect(fits(match, { result: 'win', bot: '3' })).toBe(false)
})

test('a link to a list names only what is chosen', () => {
  expect(matchesAddress({ bot: 3, opponent: null, seat: 0, reason: 'a b' })).toBe('/matches?bot=3&seat=0&reason=a+b')
})
