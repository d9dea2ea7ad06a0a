import { expect, test } from 'vitest'
import { retryText, entrants, faultText, headline, reasonText, rivals, perspectiveSeat, stateText, verdict, withNames } from '../src/lib/results'
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
  expect(verdict(match, match.seats[0]!)).toEqual({ text: 'Won', tone: 'good' })
  expect(verdict(match, match.seats[1]!)).toEqual({ text: 'Lost', tone: 'bad' })
  const draw = matchOf([0, 0])
  expect(verdict(draw, draw.seats[1]!)).toEqual({ text: 'Draw', tone: 'even' })
})

test('among more than two it is a place', () => {
  const verdicts = (...ranks: number[]) => matchOf(ranks).seats.map((seat) => verdict(matchOf(ranks), seat)!)
  expect(verdicts(2, 0, 3, 1).map((one) => one.text)).toEqual(['3rd of 4', '1st of 4', '4th of 4', '2nd of 4'])
  expect(verdicts(2, 0, 3, 1).map((one) => one.tone)).toEqual(['even', 'good', 'bad', 'even'])
  expect(verdicts(0, 1, 1).map((one) => one.text)).toEqual(['1st of 3', 'Tied 2nd of 3', 'Tied 2nd of 3'])
  expect(verdicts(0, 1, 1)[2]!.tone).toBe('bad')
  expect(verdicts(0, 0, 2).map((one) => `${one.text} ${one.tone}`)).toEqual(['Tied 1st of 3 good', 'Tied 1st of 3 good', '3rd of 3 bad'])
  expect(verdicts(0, 0, 0)[0]).toEqual({ text: 'Draw', tone: 'even' })
  const teams = matchOf([0, 0, 4, 4, 2, 2])
  teams.seats.forEach((seat, index) => (seat.team = Math.floor(index / 2)))
  expect(teams.seats.map((seat) => verdict(teams, seat)!.text)).toEqual(['1st of 3', '1st of 3', '3rd of 3', '3rd of 3', '2nd of 3', '2nd of 3'])
})

test('a match that is not over has no result', () => {
  const match = { ...matchOf([0, 1]), state: 'running' } as Match
  expect(verdict(match, match.seats[0]!)).toBeNull()
})

test('a list is seen from a bot, or from the one seat that is the user’s', () => {
  expect(perspectiveSeat(matchOf([0, 1]), 11)?.seat).toBe(1)
  expect(perspectiveSeat(matchOf([0, 1], { mine: [0] }), null)?.seat).toBe(0)
  expect(perspectiveSeat(matchOf([0, 1], { mine: [0, 1] }), null)).toBeNull()
  expect(perspectiveSeat(matchOf([0, 1]), null)).toBeNull()
})

test('reasons name bots, not seats', () => {
  expect(reasonText(matchOf([1, 0]))).toBe('bot1 made a line of 4')
  expect(withNames('Seat 0 timed out; seat 7 is nobody', ['ada'])).toBe('ada timed out; seat 7 is nobody')
  expect(withNames('Player $1 timed out; $7 is nobody', ['ada', 'bob'])).toBe('Player bob timed out; $7 is nobody')
})

test('a bot’s name is no seat and no team', () => {
  const match = matchOf([0, 1])
  match.seats[0]!.bot = 'Team 1'
  match.seats[1]!.bot = 'seat 0'
  expect(reasonText({ ...match, reason: 'seat 0 made a line of 4' })).toBe('Team 1 made a line of 4')
  expect(reasonText({ ...match, reason: 'seat 1 wrote team 0' })).toBe('seat 0 wrote team 0')
  const teams = matchOf([0, 0, 1, 1])
  teams.seats.forEach((seat, index) => Object.assign(seat, { team: Math.floor(index / 2), bot: `Team ${index}` }))
  expect(reasonText({ ...teams, reason: 'seat 1 left, and team 1 won' })).toBe('Team 1 left, and Team 2 and Team 3 won')
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
  expect(faultText(match)).toBe('bot0: timeout')
  expect(perspectiveSeat(match, null)?.seat).toBe(0)
})

test('reasons name the bots of a team', () => {
  const match = { ...matchOf([0, 0, 1, 1]), reason: 'team 1 is the only one left' }
  match.seats.forEach((seat, index) => (seat.team = Math.floor(index / 2)))
  expect(reasonText(match)).toBe('bot2 and bot3 is the only one left')
})

test('those of the own team are no rivals, and each other bot is named once', () => {
  const match = matchOf([0, 0, 0, 0, 1, 1, 1, 1])
  match.seats.forEach((seat, index) => (seat.team = Math.floor(index / 4)))
  match.seats[7]!.bot = 'bot4'
  expect(rivals(match, match.seats[2]!)).toBe('bot4, bot5 and bot6')
  expect(rivals(match, match.seats[5]!)).toBe('bot0, bot1, bot2 and bot3')
  expect(rivals(matchOf([0, 1]), matchOf([0, 1]).seats[0]!)).toBe('bot1')
  expect(rivals(matchOf([0]), matchOf([0]).seats[0]!)).toBe('')
})

test('faults name their bot', () => {
  expect(faultText(matchOf([1, 0], { fault: 'timeout' }))).toBe('bot0: timeout')
  expect(faultText(matchOf([1, 0]))).toBe('')
})

test('a match that is played again says why its last attempt does not count', () => {
  const void_attempts = [1, 2].map((attempt) => ({ attempt, reason: `Reason ${attempt}.`, ended_at: '' }))
  const match = { ...matchOf([0, 1]), state: 'queued', void_attempts } as Match
  expect(retryText(match)).toBe('Attempt 2 was void. Reason 2. A new attempt starts shortly.')
  expect(retryText({ ...match, state: 'running' })).toBe('Attempt 2 was void. Reason 2. A new attempt is running.')
  expect(retryText({ ...match, state: 'done' })).toBe('')
  expect(retryText({ ...match, void_attempts: [] })).toBe('')
})

test('an entrant has the best score of its seats, and the first fault', () => {
  const match = matchOf([0, 0])
  const scores = [null, 3, 7, 5]
  const faults = [null, null, 'crash', 'timeout']
  match.seats = scores.map((score, seat) => ({ ...match.seats[0]!, seat, score, fault: faults[seat]! }))
  expect(entrants(match)).toMatchObject([{ seat: 0, count: 4, score: 7, fault: 'crash' }])
  match.seats.forEach((seat) => (seat.score = seat.seat ? -1 - seat.seat : null))
  expect(entrants(match)[0]!.score).toBe(-2)
})

test('a bot that plays itself is an entrant in each team', () => {
  const match = matchOf([0, 1])
  match.seats.forEach((seat) => (seat.submission_id = 7))
  expect(entrants(match)).toHaveLength(2)
})

test('a seat without a rank has no result', () => {
  const match = matchOf([0, 1])
  match.seats[0]!.rank = null
  expect(verdict(match, match.seats[0]!)).toBeNull()
})

test('the state of a match is put into words', () => {
  const match = matchOf([0, 1])
  const queued = (queue_place: number, expected_wait_s: number | null) =>
    stateText({ ...match, state: 'queued', queue_place, expected_wait_s } as Match)
  expect(queued(3, 20)).toBe('3rd in the queue, about 20 s')
  expect(queued(1, 0)).toBe('1st in the queue, starts now')
  expect(queued(12, null)).toBe('12th in the queue')
  expect(queued(22, 240)).toBe('22nd in the queue, about 4 min')
  expect(stateText({ ...match, state: 'queued', queue_place: null } as Match)).toBe('Queued')
  expect(stateText({ ...match, state: 'running' } as Match)).toBe('Playing now')
  expect(stateText({ ...match, state: 'void', void_reason: 'a worker died' } as Match)).toBe('Void: a worker died')
  expect(stateText(match)).toBe('bot1 made a line of 4')
})

test('a void match is not played again', () => {
  const void_attempts = [{ attempt: 1, reason: 'Reason.', ended_at: '' }]
  expect(retryText({ ...matchOf([0, 1]), state: 'void', void_attempts } as Match)).toBe('')
})

test('a number that names nobody stays', () => {
  expect(reasonText({ ...matchOf([0, 1]), reason: 'team 9 left, seat 9 too' } as Match)).toBe('team 9 left, seat 9 too')
})
