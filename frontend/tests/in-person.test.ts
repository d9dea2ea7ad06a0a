import { describe, expect, test } from 'vitest'
import { choiceIn, choiceOf, endText, inPersonAddress, isUnlisted, matchIn, newMatchOf, patience, statusText } from '../src/lib/in-person'
import type { InPerson, Match } from '../src/lib/types'

const MATCH = {
  id: 7,
  game: 'yavalath',
  state: 'done',
  league: 1,
  reason: 'seat 1 made a line of 4',
  seats: [
    { seat: 0, team: 0, bot: 'ada', bot_id: null, submission_id: 1, mine: true, rank: 1, score: 0, fault: null },
    { seat: 1, team: 1, bot: 'Snare', bot_id: 5, submission_id: 2, mine: false, rank: 0, score: 1, fault: null },
  ],
} as unknown as Match

describe('an address', () => {
  test('names an opponent, a seat and a level, and nothing that is not one', () => {
    expect(choiceIn(new URLSearchParams('opponent=5&seat=1&level=2'))).toEqual({ opponent: '5', seat: 1, level: '2' })
    expect(choiceIn(new URLSearchParams('opponent=x&seat=7&level=-1'))).toEqual({ opponent: '', seat: 0, level: '' })
    expect(inPersonAddress('ants', { opponent: 5, seat: 0, level: '' })).toBe('/in-person/ants?opponent=5&seat=0')
    expect(inPersonAddress('ants')).toBe('/in-person/ants')
  })

  test('may choose a bot that is in no list', () => {
    const lists = [[{ bot_id: 5 }], [{ bot_id: 6 }, { bot_id: null }]]
    expect(['', '5', '6', '7'].map((chosen) => isUnlisted(chosen, ...lists))).toEqual([false, false, false, true])
  })

  test('names a match to go on with', () => {
    expect(matchIn(new URLSearchParams('match=7'))).toBe(7)
    expect(matchIn(new URLSearchParams('match=0'))).toBeNull()
  })
})

test('a form leaves out what is as usual', () => {
  expect(newMatchOf('ants', { opponent: '', seat: 1, level: '' })).toEqual({ game: 'ants', seat: 1 })
  expect(newMatchOf('ants', { opponent: '5', seat: 0, level: '2' })).toEqual({ game: 'ants', seat: 0, opponent: 5, league: 2 })
})

test('a match can be played again, also from the other seat', () => {
  expect(choiceOf(MATCH)).toEqual({ opponent: '5', seat: 0, level: '1' })
  expect(choiceOf(MATCH, true).seat).toBe(1)
})

test("a match against one's own bot can be played again against it", () => {
  const [ada, snare] = MATCH.seats as [Match['seats'][number], Match['seats'][number]]
  const seats = [
    { ...snare, seat: 0, mine: true },
    { ...ada, seat: 1 },
  ]
  expect(choiceOf({ ...MATCH, seats })).toEqual({ opponent: '5', seat: 1, level: '1' })
  expect(choiceOf({ ...MATCH, seats }, true).seat).toBe(0)
})

test('the end in words', () => {
  expect(endText(MATCH)).toBe('You lost: Snare made a line of 4.')
  expect(endText({ ...MATCH, state: 'void', void_reason: 'Abandoned.' })).toBe('Abandoned.')
})

test('nobody thinks in a match that is over', () => {
  const resigned = { resigned: true } as InPerson
  const running = { ...MATCH, state: 'running' } as Match
  expect(statusText(running, null, true)).toBe('Snare is thinking…')
  expect(statusText(running, resigned, true)).toBe('Resigning…')
  expect(statusText({ ...running, state: 'queued', queue_place: null } as Match, null, true)).toBe('Queued.')
  const abandoned = { ...MATCH, state: 'void', void_reason: 'Abandoned.' } as Match
  expect(statusText(abandoned, null, true)).toBe('Abandoned.')
  expect(statusText(abandoned, resigned, true)).toBe('Abandoned.')
  expect(statusText(MATCH, null, true)).toBe('You lost: Snare made a line of 4.')
  // The board goes first.
  expect(statusText(MATCH, null, false)).toBe('Snare is thinking…')
})

test('how long the match waits', () => {
  const now = new Date('2026-01-01T12:00:00Z')
  const row = (until: string | null): InPerson => ({ until }) as InPerson
  expect(patience(row('2026-01-01T12:45:00Z'), now)).toBe('No clock runs. The match waits 45 min for you.')
  expect(patience(row('2026-01-01T15:00:00Z'), now)).toBe('No clock runs. The match waits 3 hours for you.')
  expect(patience(row(null), now)).toBe('')
})
