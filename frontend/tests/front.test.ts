import { expect, test } from 'vitest'
import { readFrontMatch } from '../src/lib/front'

test.each([
  ['ants 12 done', { game: 'ants', match: 12, over: true }],
  ['tron 3 running', { game: 'tron', match: 3, over: false }],
  ['ants', null],
  ['ants x done', null],
  ['', null],
])('%j names the match of the home page', (content, match) => {
  expect(readFrontMatch(content)).toEqual(match)
})
