import { expect, test } from 'vitest'
import { storyOf, storyReason, storyText } from '../src/lib/story'
import type { Match, MatchSeat } from '../src/lib/types'

interface Side {
  bot: string
  rank: number
  score?: number
  team?: number
  fault?: string
}

function played(sides: Side[], more: Partial<Match> = {}): Match {
  const seats = sides.map(
    ({ bot, rank, score = 0, team, fault = null }, seat) =>
      ({ seat, team: team ?? seat, submission_id: seat + 100, bot, bot_id: seat, rank, score, fault, mine: false }) as MatchSeat,
  )
  return { state: 'done', seats, turns: 100, reason: 'no crystal left', faults: [], void_attempts: [], ...more } as unknown as Match
}

test('the winner beats the loser, with the score and the turn', () => {
  const match = played([
    { bot: 'Regent', rank: 1, score: 61 },
    { bot: 'Queen', rank: 0, score: 82 },
  ])
  expect(storyText(match)).toBe('Queen beat Regent 82:61, turn 100')
  expect(storyReason(match)).toBe('no crystal left')
  expect(storyOf(match).flatMap((piece) => (piece.who ? [[piece.text, piece.won, piece.who.team]] : []))).toEqual([
    ['Queen', true, 1],
    ['Regent', false, 0],
  ])
})

test('a draw has no winner', () => {
  const match = played([
    { bot: 'A', rank: 0, score: 5 },
    { bot: 'B', rank: 0, score: 5 },
  ])
  expect(storyText(match)).toBe('A drew with B 5:5, turn 100')
})

test('a fault says who did what and when, and who won', () => {
  const match = played(
    [
      { bot: 'starter', rank: 1, fault: 'crash' },
      { bot: 'Queen', rank: 0 },
    ],
    { faults: [{ seat: 0, turn: 9, kind: 'crash', message: 'it ended with code 1; last stderr: IndexError' }] },
  )
  expect(storyText(match)).toBe('starter crashed in turn 9, Queen won')
  expect(storyReason(match)).toBe('IndexError')
})

test('where both are at fault, nobody wins', () => {
  const sides = [
    { bot: 'A', rank: 0, fault: 'timeout' },
    { bot: 'B', rank: 0, fault: 'illegal' },
  ]
  expect(storyText(played(sides))).toBe('A timed out, B made an illegal move')
  expect(storyReason(played(sides))).toBe('no crystal left')
})

test('a warning is no fault', () => {
  const sides = [
    { bot: 'A', rank: 0 },
    { bot: 'B', rank: 1 },
  ]
  const match = played(sides, { faults: [{ seat: 0, turn: 2, kind: 'warning', message: 'one ant too many' }] })
  expect(storyText(match)).toBe('A beat B 0:0, turn 100')
  expect(storyReason(match)).toBe('no crystal left')
})

test('teams win together, and a team of several has no one score', () => {
  const match = played([
    { bot: 'A', rank: 1, team: 0 },
    { bot: 'B', rank: 1, team: 0 },
    { bot: 'C', rank: 0, team: 1 },
    { bot: 'D', rank: 0, team: 1 },
  ])
  expect(storyText(match)).toBe('C and D beat A and B, turn 100')
})

test('of several teams, the first may be shared', () => {
  const match = played([
    { bot: 'A', rank: 0, score: 3 },
    { bot: 'B', rank: 2, score: 1 },
    { bot: 'C', rank: 0, score: 3 },
  ])
  expect(storyText(match)).toBe('A and C shared the first place before B 3:3:1, turn 100')
})

test('a match that is not over says what it does', () => {
  const sides = [
    { bot: 'A', rank: 0 },
    { bot: 'B', rank: 1 },
  ]
  expect(storyText(played(sides, { state: 'running' }))).toBe('A against B: playing now')
  expect(storyText(played(sides, { state: 'void', void_reason: 'The worker died.' }))).toBe('A against B: void: The worker died.')
})
