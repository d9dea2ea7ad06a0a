import { expect, test } from 'vitest'
import { appendStandings, changeBoard, compareStandings, mergeStandings, placesText, ratingScale, rankConfidence, resultsText, standingTags } from '../src/lib/board'
import type { Standing } from '../src/lib/types'

const row = (bot_id: number, rating: number, rank = 0): Standing =>
  ({ bot_id, rating, rank, low: rating - 60, high: rating + 60, league_position: 1, submission_id: bot_id, competitor_id: bot_id }) as Standing
const shown = (rows: Standing[]): string[] => rows.map((one) => `${one.rank}. ${one.bot_id} ${one.rating}`)

test('rows that changed move to their place, and ranks are counted anew', () => {
  const before = [row(1, 1300, 1), row(2, 1200, 2), row(3, 1100, 3)]
  expect(shown(mergeStandings(before, [row(3, 1250)]))).toEqual(['1. 1 1300', '2. 3 1250', '3. 2 1200'])
})

test('a row that fell onto the next page meanwhile is there once', () => {
  const before = [row(1, 1300, 1), row(2, 1200, 2), row(3, 1100, 3)]
  expect(shown(appendStandings(before, [row(3, 1090, 3), row(4, 900, 4)]))).toEqual(['1. 1 1300', '2. 2 1200', '3. 3 1090', '4. 4 900'])
  expect(shown(appendStandings([], [row(1, 1300, 1)]))).toEqual(['1. 1 1300'])
})

test('a row that rose while the next page was on its way stays where it is now', () => {
  const risen = row(3, 1250)
  const { items } = changeBoard({ items: [row(1, 1300, 1), row(2, 1200, 2)], next: 'c2' }, [risen])
  const changed = [risen, row(4, 950), row(5, 800)]
  const answer = appendStandings(items, [row(3, 1100, 3), row(4, 900, 4)], new Map(changed.map((one) => [one.bot_id, one])))
  expect(shown(answer)).toEqual(['1. 1 1300', '2. 3 1250', '3. 2 1200', '4. 4 900'])
  expect(shown(changeBoard({ items: answer, next: 'c4' }, changed).items)).toEqual(['1. 1 1300', '2. 3 1250', '3. 2 1200', '4. 4 950'])
})

test('a row below those that are shown waits for its page, if there is one', () => {
  const items = [row(1, 1300, 1), row(2, 1200, 2)]
  expect(shown(changeBoard({ items, next: 'c2' }, [row(3, 1100)]).items)).toEqual(['1. 1 1300', '2. 2 1200'])
  expect(shown(changeBoard({ items, next: null }, [row(3, 1100)]).items)).toEqual(['1. 1 1300', '2. 2 1200', '3. 3 1100'])
})

test('new rows come in', () => {
  expect(shown(mergeStandings([row(1, 1300, 1)], [row(9, 1400)]))).toEqual(['1. 9 1400', '2. 1 1300'])
  expect(shown(mergeStandings([], [row(9, 1400)]))).toEqual(['1. 9 1400'])
})

test('ranks go on from the first row’s', () => {
  expect(shown(mergeStandings([row(1, 900, 51), row(2, 800, 52)], [row(2, 950)]))).toEqual(['51. 2 950', '52. 1 900'])
})

test('copies of the same code share a rank, and those below count it once', () => {
  const copy = (bot_id: number, rating: number, rank = 0): Standing => ({ ...row(bot_id, rating, rank), competitor_id: 1 })
  const before = [row(5, 1300, 1), copy(3, 1200, 2), copy(2, 1200, 2), copy(1, 1200, 2), row(4, 1100, 3)]
  expect(mergeStandings(before, [row(4, 1150)]).map((one) => one.rank)).toEqual([1, 2, 2, 2, 3])
  const risen = [copy(3, 1400), copy(2, 1400), copy(1, 1400)]
  expect(shown(mergeStandings(before, risen))).toEqual(['1. 3 1400', '1. 2 1400', '1. 1 1400', '2. 5 1300', '3. 4 1100'])
})

test('in a league, a copy of a bot of a higher league keeps the rank of that bot', () => {
  const copy = { ...row(7, 950, 3), competitor_id: 1 }
  expect(shown(mergeStandings([row(8, 990, 51), copy, row(9, 800, 52)], [row(9, 999)]))).toEqual(['51. 9 999', '52. 8 990', '3. 7 950'])
})

test('the ratingScale holds all intervals, in round figures', () => {
  expect(ratingScale([row(1, 1310), row(2, 1000)])).toEqual({ from: 850, to: 1450 })
  expect(ratingScale([])).toEqual({ from: 0, to: 1 })
})

test('a higher league is above, whatever the rating', () => {
  const gold = { ...row(1, 900), league_position: 4 }
  expect(mergeStandings([row(2, 1500, 1)], [gold]).map((one) => one.bot_id)).toEqual([1, 2])
  expect(compareStandings(row(1, 1000), row(2, 1000))).toBeGreaterThan(0)
})

test('the certainty of a rank is a sentence', () => {
  expect(rankConfidence({ ...row(1, 900), placing: true, games_left: 12 } as Standing)).toBe('Placing: about 12 more games')
  const next = { ...row(1, 900), placing: false, above_next: 0.714, games_left: 60 } as Standing
  expect(rankConfidence(next)).toBe('71 % probability of being stronger than the next bot; about 60 more games to separate them')
  expect(rankConfidence({ ...next, games_left: 0 })).toBe('71 % probability of being stronger than the next bot')
  expect(rankConfidence({ ...next, above_next: null })).toBe('')
  expect(rankConfidence({ ...next, placing: true, games_left: null } as Standing)).toBe('Placing')
})

test('rows that changed are there once, as they are now', () => {
  expect(shown(mergeStandings([row(1, 1300, 1), row(2, 1200, 2)], [row(1, 1100), row(2, 1250)]))).toEqual(['1. 2 1250', '2. 1 1100'])
})

test('of two equal ratings the newer version is above', () => {
  expect(mergeStandings([row(1, 1000, 1)], [row(2, 1000)]).map((one) => one.bot_id)).toEqual([2, 1])
})

test('the ratingScale leaves room for small changes on either side', () => {
  expect(ratingScale([row(1, 1060)])).toEqual({ from: 950, to: 1200 })
})

test('a row tells its places, or where two meet its results', () => {
  expect(placesText([1094, 17, 0, 11])).toBe('1st 1,094, 2nd 17, 3rd 0, 4th 11')
  const counts = { wins: 3, draws: 0, losses: 5, placing: false }
  expect(resultsText({ ...row(1, 900), ...counts, places: [3, 4, 1] } as Standing)).toBe('1st 3, 2nd 4, 3rd 1')
  expect(resultsText({ ...row(1, 900), ...counts, places: [] as number[] } as Standing)).toBe('3 won, 0 drawn, 5 lost')
})

test('what a place is worth is said in words', () => {
  const plain = { guest: false, shared_with: 0, all_repeat: false, provisional: false, on_trial: false, house: false }
  const words = (change: Partial<Standing>): string[] => standingTags({ ...row(1, 900), ...plain, ...change } as Standing).map(({ text }) => text)
  expect(words({})).toEqual([])
  expect(words({ provisional: true, on_trial: true })).toEqual(['provisional'])
  expect(words({ on_trial: true })).toEqual(['on trial'])
  expect(words({ on_trial: true, house: true })).toEqual([])
  expect(words({ guest: true, shared_with: 1200, all_repeat: true })).toEqual(['guest: does not count for others', 'shared with 1,200', 'all games repeat'])
})
