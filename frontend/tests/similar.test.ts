import { describe, expect, test } from 'vitest'
import { routeOf } from '../src/lib/routes'
import { markedLines } from '../src/lib/similar'

describe('similar sources', () => {
  test('each line knows its common runs, and which begin there', () => {
    const lines = markedLines('a\nb\nc\nd', [
      [2, 3],
      [3, 3],
    ])
    expect(lines.map((line) => line.text)).toEqual(['a', 'b', 'c', 'd'])
    expect(lines.map((line) => line.runs)).toEqual([[], [1], [1, 2], []])
    expect(lines.map((line) => line.begins)).toEqual([[], [1], [2], []])
  })
  test('a run beyond the end marks what is there', () => {
    expect(markedLines('a', [[1, 9]]).map((line) => line.runs)).toEqual([[1]])
    expect(markedLines('a', [[5, 9]]).map((line) => line.runs)).toEqual([[]])
  })
  test('a pair has an address', () => {
    expect(routeOf('/classes/3/similarity/14/2')).toEqual({ page: 'similar', class: 3, report: 14, pair: 2 })
    for (const wrong of ['/classes/x/similarity/1/1', '/classes/3/similarity/1', '/classes/3/similarity/0/1', '/classes/3/other/1/1'])
      expect(routeOf(wrong)).toEqual({ page: 'missing' })
  })
})
