import { expect, test } from 'vitest'
import type { GameViewer } from '../src/viewer/game'
import type { End, Header } from '../src/viewer/lines'
import { resultText, seatName } from '../src/viewer/result'

const GAME = { seat: (seat: number) => `bot ${seat + 1}` } as GameViewer

function headerOf(bots: string, team_seats?: number): Header {
  const players = bots.split(' ').map((bot) => ({ bot, owner: '', language: '', version: null, rating: null }))
  return { v: 1, game: 'x', players, team_seats } as Header
}
const endOf = (ranks: number[], reason = ''): End => ({ end: true, scores: [], ranks, reason })

test('a seat is named by its bot, and by its number where a team has several', () => {
  expect(seatName(1, headerOf('ada bob'), GAME)).toBe('bob')
  expect(seatName(1, headerOf('ada ada', 2), GAME)).toBe('ada, bot 2')
  expect(seatName(1, headerOf('ada ada', 2), undefined)).toBe('ada')
  expect(seatName(1, undefined, undefined)).toBe('seat 1')
})

test('the result names who has won, and why', () => {
  const header = headerOf('ada bob')
  expect(resultText(endOf([1, 0]), header, GAME)).toBe('bob wins')
  expect(resultText(endOf([0, 1], 'seat 1 timed out'), header, GAME)).toBe('ada wins: bob timed out')
  expect(resultText(endOf([0, 0], 'no move is left'), header, GAME)).toBe('Draw: no move is left')
})

test('a void match has its reason instead', () => {
  expect(resultText({ end: true, void: 'a worker died' }, headerOf('ada bob'), GAME)).toBe('Void: a worker died')
})

test('a team of several bots win; a reason that begins with them is the whole result', () => {
  const header = headerOf('ada bob cyd cyd', 2)
  expect(resultText(endOf([0, 0, 1, 1]), header, GAME)).toBe('ada, bob win')
  expect(resultText(endOf([1, 1, 0, 0], 'team 1 holds the zone'), header, GAME)).toBe('cyd ×2 holds the zone')
  expect(resultText(endOf([1, 1, 0, 0], 'team 0 is out'), header, GAME)).toBe('cyd ×2 wins: ada, bob is out')
})

test('a bot’s name is no team', () => {
  const header = headerOf('x x y y', 2)
  header.players.forEach((player, seat) => (player.bot = seat < 2 ? 'Team 1' : 'Keystone'))
  expect(resultText(endOf([0, 0, 1, 1], 'seat 0 holds the zone of team 1'), header, undefined)).toBe('Team 1 ×2 wins: Team 1 holds the zone of Keystone ×2')
})
