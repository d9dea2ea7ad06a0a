import { describe, expect, test } from 'vitest'
import type { Header } from '../src/viewer/game'
import { teamName, teamOf, teamsOf, winners, withTeams } from '../src/viewer/teams'

function headerOf(bots: string, team_seats?: number): Header {
  const players = bots.split(' ').map((bot) => ({ bot, owner: '', language: '', version: null, rating: null }))
  return { v: 1, game: 'x', players, team_seats } as Header
}

describe('teams', () => {
  test('without teams each seat is one', () => {
    const header = headerOf('ada bob')
    expect([0, 1].map((seat) => teamOf(header, seat))).toEqual([0, 1])
    expect(teamsOf(header).map(teamName)).toEqual(['ada', 'bob'])
  })

  test('the seats of a team stand side by side; a bot with several seats is told of once', () => {
    const teams = teamsOf(headerOf('ada bob ada ada cyd cyd cyd cyd', 4))
    expect(teams.map(teamName)).toEqual(['ada ×3, bob', 'cyd ×4'])
    expect(teams[0]!.map(({ seats }) => seats)).toEqual([[0, 2, 3], [1]])
  })

  test('bots of one name but of two owners are two', () => {
    const header = headerOf('ada ada', 2)
    header.players[1]!.owner = 'bob'
    expect(teamsOf(header).map(teamName)).toEqual(['ada, ada'])
  })

  test('reasons name the bots of a team', () => {
    expect(withTeams('team 1 is the only one left', headerOf('a b c c', 2))).toBe('c ×2 is the only one left')
    expect(withTeams('team 1 and team 9', headerOf('a b'))).toBe('team 1 and team 9')
  })

  test('teams win, not seats', () => {
    const header = headerOf('a a b b c c', 2)
    expect(winners(header, [2, 2, 0, 0, 1, 1])).toEqual([1])
    expect(winners(header, [0, 0, 0, 0, 2, 2])).toEqual([0, 1])
  })
})
