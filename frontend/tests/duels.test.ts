import { describe, expect, it } from 'vitest'
import { answers, balance, eloText, isOver, odds } from '../src/lib/duels'
import type { Duel } from '../src/lib/types'

const duel = (changes: Partial<Duel>): Duel =>
  ({
    candidate: { bot: 'New', version: 2 },
    baseline: { bot: 'Old', version: 1 },
    preset: 'normal',
    state: 'running',
    games: 40,
    llr: 0,
    llr_decides: Math.log(24),
    elo: 12.4,
    elo_low: -30,
    elo_high: 55,
    ...changes,
  }) as Duel

describe('a duel in words', () => {
  it('says the difference with its interval, also where it has no end', () => {
    expect(eloText(duel({}))).toBe('+12 Elo, 95 % interval −30 to +55')
    expect(eloText(duel({ elo: null, elo_high: null, elo_low: 210 }))).toBe('+210 Elo or more, with 95 % probability')
    expect(eloText(duel({ elo: null, elo_low: null, elo_high: -210 }))).toBe('−210 Elo or less, with 95 % probability')
    expect(eloText(duel({ games: 0 }))).toBe('no match counted yet')
  })

  it('places the likelihood between both answers', () => {
    expect(balance(duel({}))).toBe(50)
    expect(balance(duel({ llr: -Math.log(24) / 2 }))).toBeCloseTo(25)
    expect(balance(duel({ llr: 9 }))).toBe(100)
  })

  it('says which answer is how much likelier', () => {
    expect(odds(duel({}))).toBe('Both answers are equally likely; 24 times as likely decides.')
    expect(odds(duel({ llr: Math.log(2.5) }))).toBe('“New is stronger” is 2.5 times as likely; 24 times decides.')
    expect(odds(duel({ llr: -Math.log(12) }))).toBe('“New is not stronger” is 12 times as likely; 24 times decides.')
    expect(odds(duel({ games: 0 }))).toBe('Both answers are equally likely.')
  })

  it('has other answers for the question which is better', () => {
    expect(answers(duel({ preset: 'which' }))).toEqual(['New is weaker', 'New is stronger'])
  })

  it('is over in any state but running', () => {
    expect(isOver(duel({}))).toBe(false)
    expect(isOver(duel({ state: 'cancelled' }))).toBe(true)
  })
})
