import { expect, test } from 'vitest'
import { againWords, faultWords, headline, reasonWords, seenFrom, verdict, withNames } from '../src/lib/results'
import type { Match, MatchSeat } from '../src/lib/types'

function matchOf(ranks: number[], { mine = [] as number[], fault = null as string | null } = {}): Match {
  const seats = ranks.map(
    (rank, seat) =>
      ({ seat, team: seat, submission_id: seat + 100, rank, bot: `bot${seat}`, bot_id: seat + 10, mine: mine.includes(seat), fault: seat === 0 ? fault : null }) as MatchSeat,
  )
  return { state: 'done', seats, reason: 'seat 1 made a line of 4' } as Match
}

test('a match is won, lost or drawn from a seat', () => {
  const match = matchOf([0, 1])
  expect(verdict(match, match.seats[0]!)).toBe('Won')
  expect(verdict(match, match.seats[1]!)).toBe('Lost')
  const draw = matchOf([0, 0])
  expect(verdict(draw, draw.seats[1]!)).toBe('Draw')
})

test('a match that is not over has no result', () => {
  const match = { ...matchOf([0, 1]), state: 'running' } as Match
  expect(verdict(match, match.seats[0]!)).toBeNull()
})

test('a list is seen from a bot, or from the one seat that is the user’s', () => {
  expect(seenFrom(matchOf([0, 1]), 11)?.seat).toBe(1)
  expect(seenFrom(matchOf([0, 1], { mine: [0] }), null)?.seat).toBe(0)
  expect(seenFrom(matchOf([0, 1], { mine: [0, 1] }), null)).toBeNull()
  expect(seenFrom(matchOf([0, 1]), null)).toBeNull()
})

test('reasons name bots, not seats', () => {
  expect(reasonWords(matchOf([1, 0]))).toBe('bot1 made a line of 4')
  expect(withNames('Seat 0 timed out; seat 7 is nobody', ['ada'])).toBe('ada timed out; seat 7 is nobody')
})

test('a bot that fills several seats of a team is named once', () => {
  const match = matchOf([0, 0, 1, 1], { mine: [0, 1] })
  const [ada, bob, eve] = match.seats as [MatchSeat, MatchSeat, MatchSeat]
  match.seats = [
    { ...ada, team: 0 },
    { ...ada, team: 0, seat: 1, fault: 'timeout' },
    { ...eve, team: 1 },
    { ...bob, team: 1, seat: 3, mine: false },
  ]
  expect(headline(match)).toBe('bot0 ×2 against bot2, bot1')
  expect(faultWords(match)).toBe('bot0: timeout')
  expect(seenFrom(match, null)?.seat).toBe(0)
})

test('reasons name the bots of a team', () => {
  const match = { ...matchOf([0, 0, 1, 1]), reason: 'team 1 is the only one left' }
  match.seats.forEach((seat, index) => (seat.team = Math.floor(index / 2)))
  expect(reasonWords(match)).toBe('bot2 and bot3 is the only one left')
})

test('faults name their bot', () => {
  expect(faultWords(matchOf([1, 0], { fault: 'timeout' }))).toBe('bot0: timeout')
  expect(faultWords(matchOf([1, 0]))).toBe('')
})

test('a match that is played again says why its last attempt does not count', () => {
  const void_attempts = [1, 2].map((attempt) => ({ attempt, reason: `Reason ${attempt}.`, ended_at: '' }))
  const match = { ...matchOf([0, 1]), state: 'queued', void_attempts } as Match
  expect(againWords(match)).toBe('Attempt 2 does not count. Reason 2. It is played again in a moment.')
  expect(againWords({ ...match, state: 'running' })).toBe('Attempt 2 does not count. Reason 2. It is being played again.')
  expect(againWords({ ...match, state: 'done' })).toBe('')
  expect(againWords({ ...match, void_attempts: [] })).toBe('')
})
