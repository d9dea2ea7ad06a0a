import { describe, expect, it } from 'vitest'
import { answers, balance, eloText, isOver, mayDuel, odds, pause } from '../src/lib/duels'
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
    paused_until: null,
    ...changes,
  }) as Duel

describe('a duel in words', () => {
  it('says the difference with its interval, also where it has no end', () => {
    expect(eloText(duel({}))).toBe('+12 Elo, 95 % interval −30 to +55')
    expect(eloText(duel({ elo: null, elo_high: null, elo_low: 210 }))).toBe('+210 Elo or more, with 95 % probability')
    expect(eloText(duel({ elo: null, elo_low: null, elo_high: -210 }))).toBe('−210 Elo or less, with 95 % probability')
    expect(eloText(duel({ games: 0 }))).toBe('no match counted yet')
  })

  it('says why no match is queued, and until when', () => {
    expect(pause(duel({}))).toBe('')
    const paused_until = '2026-03-01T14:05:00'
    expect(pause(duel({ paused_until, mine: true }))).toBe('Paused until 1 Mar 2026, 14:05: your matches used up the CPU time of a day.')
    expect(pause(duel({ paused_until, mine: false }))).toContain('the matches of whoever began it used up')
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

  it('is between versions that are on the ladder or were replaced there', () => {
    const states = ['queued', 'live', 'superseded', 'disabled', 'failed'] as const
    expect(states.filter((state) => mayDuel({ state, deleted: false }))).toEqual(['live', 'superseded'])
    expect(mayDuel({ state: 'live', deleted: true })).toBe(false)
  })

  it('is over in any state but running', () => {
    expect(isOver(duel({}))).toBe(false)
    expect(isOver(duel({ state: 'cancelled' }))).toBe(true)
  })
})
