import { describe, expect, test } from 'vitest'
import { withNames } from '../src/lib/results'
import type { Header } from '../src/viewer/lines'
import { finalScores, placesOf, teamName, teamNames, teamOf, teamsOf, winners } from '../src/viewer/teams'

function headerOf(bots: string, team_seats?: number): Header {
  const players = bots.split(' ').map((bot) => ({ bot, owner: '', language: '', version: null, rating: null }))
  return { v: 1, game: 'x', players, team_seats } as Header
}

const withTeams = (text: string, header: Header): string => withNames(text, [], teamNames(header))

describe('teams', () => {
  test('without teams each seat is one', () => {
    const header = headerOf('ada bob')
    expect([0, 1].map((seat) => teamOf(header, seat))).toEqual([0, 1])
    expect(teamsOf(header).map(teamName)).toEqual(['ada', 'bob'])
  })

  test('the seats of a team stand side by side; a bot with several seats is listed once', () => {
    const teams = teamsOf(headerOf('ada bob ada ada cyd cyd cyd cyd', 4))
    expect(teams.map(teamName)).toEqual(['ada ×3, bob', 'cyd ×4'])
    expect(teams[0]!.map(({ seats }) => seats)).toEqual([[0, 2, 3], [1]])
  })

  test('bots of one name but of two owners are two', () => {
    const header = headerOf('ada ada', 2)
    header.players[1]!.owner = 'bob'
    expect(teamsOf(header).map(teamName)).toEqual(['ada, ada'])
  })

  test('versions of a bot are two, and so are bots in two languages', () => {
    const versions = headerOf('ada ada', 2)
    versions.players[1]!.version = 2
    expect(teamsOf(versions).map(teamName)).toEqual(['ada, ada'])
    const languages = headerOf('ada ada', 2)
    languages.players[1]!.language = 'rust'
    expect(teamsOf(languages).map(teamName)).toEqual(['ada, ada'])
  })

  test('a team begins a sentence, too; without teams the words stay as they are', () => {
    expect(withTeams('Team 0 wins', headerOf('a a', 1))).toBe('a wins')
    expect(withTeams('team 7 wins', headerOf('a a', 1))).toBe('team 7 wins')
    expect(withTeams('team 0 wins', headerOf('a b'))).toBe('team 0 wins')
    expect(withTeams('steam 0', headerOf('a a', 1))).toBe('steam 0')
  })

  test('reasons name the bots of a team', () => {
    expect(withTeams('team 1 is the only one left', headerOf('a b c c', 2))).toBe('c ×2 is the only one left')
    expect(withTeams('team 1 and team 9', headerOf('a b'))).toBe('team 1 and team 9')
  })

  test('teams win, not seats', () => {
    const header = headerOf('a a b b c c', 2)
    expect(winners(header, [2, 2, 0, 0, 1, 1])).toEqual([1])
    expect(winners(header, [0, 0, 0, 0, 2, 2])).toEqual([0, 1])
    expect(placesOf(header, [4, 4, 0, 0, 2, 2])).toEqual([3, 1, 2])
    expect(placesOf(header, [0, 0, 0, 0, 4, 4])).toEqual([1, 1, 3])
    expect(placesOf(headerOf('a b c d'), [3, 0, 1, 1])).toEqual([4, 1, 2, 2])
  })
})

test('at the end of a match that counts its result has the scores', () => {
  expect(finalScores(['5', '5'], headerOf('ada bob'), { end: true, scores: [70, 62], ranks: [0, 1], reason: 'ants' })).toEqual(['70', '62'])
  expect(finalScores(['5', '5'], headerOf('ada ada bob bob', 2), { end: true, scores: [3, 9, -1, -1], ranks: [0, 0, 1, 1], reason: '' })).toEqual(['9', '-1'])
  expect(finalScores(['5', '5'], headerOf('ada bob'), { end: true, void: 'lost' })).toEqual(['5', '5'])
  expect(finalScores(['5 of 7', '5'], headerOf('ada bob'), { end: true, scores: [1, 0], ranks: [0, 1], reason: '' })).toEqual(['5 of 7', '0'])
  expect(finalScores([], headerOf('ada bob'), { end: true, scores: [1, 0], ranks: [0, 1], reason: '' })).toEqual([])
})
