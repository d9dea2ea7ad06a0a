import { expect, test } from 'vitest'
import { endingOf, ownSeat } from '../src/lib/ending'
import type { Match, MatchSeat } from '../src/lib/types'

/** Seat 0 is the code in the editor, seat 1 is Keystone. */
function matchOf(ranks: [number, number], changes: Partial<Match> = {}, fault: string | null = null): Match {
  const seats = ranks.map((rank, seat) => ({
    ...{ seat, team: seat, submission_id: 100 + seat, rank, mine: seat === 0, fault: seat === 0 ? fault : null },
    ...{ bot: seat === 0 ? 'Your code' : 'Keystone', bot_id: seat === 0 ? null : 7 },
  })) as MatchSeat[]
  return { state: 'done', turns: 26, reason: 'seat 1 made a line of 4', seats, ...changes } as Match
}
const crash = { turn: 9, seat: 0, kind: 'crash', message: "expected a line; the process ended; last stderr: KeyError: 'x'" }

test('an ending says how, when and why', () => {
  expect(endingOf(matchOf([1, 0]), [])).toEqual({ what: 'Lost in turn 26', why: 'Keystone made a line of 4', tone: 'bad', turn: 26 })
  expect(endingOf(matchOf([0, 1]), [])).toMatchObject({ what: 'Won in turn 26', tone: 'good' })
  expect(endingOf(matchOf([0, 0], { reason: null }), [])).toMatchObject({ what: 'Draw in turn 26', why: '', tone: 'even' })
})

test('a fault is named with its turn, its line and what the bot said', () => {
  const match = matchOf([1, 0], {}, 'crash')
  expect(endingOf(match, [crash], 53)).toEqual({ what: 'Crashed in turn 9, line 53', why: "KeyError: 'x'", tone: 'bad', turn: 9 })
  expect(endingOf(match, [crash])!.what).toBe('Crashed in turn 9')
  const late = { turn: 3, seat: 0, kind: 'timeout', message: 'expected a reply within 50 ms; used 61 ms' }
  expect(endingOf(matchOf([1, 0], {}, 'timeout'), [late])).toMatchObject({ what: 'Timed out in turn 3', why: late.message })
})

test('faults of others, and warnings, do not matter', () => {
  expect(endingOf(matchOf([0, 1]), [{ ...crash, seat: 1 }])!.what).toBe('Won in turn 26')
  expect(endingOf(matchOf([1, 0], {}, 'crash'), [{ ...crash, seat: 1 }])!.what).toBe('Lost in turn 26')
})

test('there is none before the end, of void matches, and of matches of others', () => {
  expect(endingOf(matchOf([1, 0], { state: 'running' }), [])).toBeNull()
  expect(endingOf(matchOf([1, 0], { state: 'void' }), [])).toBeNull()
  const match = matchOf([1, 0])
  match.seats[0]!.mine = false
  expect(endingOf(match, [])).toBeNull()
})

test('against a bot of one’s own, the code in the editor counts', () => {
  const match = matchOf([1, 0])
  match.seats[1]!.mine = true
  expect(ownSeat(match)!.seat).toBe(0)
  match.seats[0]!.bot_id = 8
  expect(ownSeat(match)).toBeNull()
})
