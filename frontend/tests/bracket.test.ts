import { expect, test } from 'vitest'
import { layout, neighbour, roundTitle, shortened, SIZES } from '../src/lib/bracket'
import { again, loser, node, seed, winner } from './nodes'

/** Four entrants, with a match for the third place. */
const FOUR = [
  node(0, 'main', 1, seed(0), seed(3)),
  node(1, 'main', 1, seed(1), seed(2)),
  node(2, 'main', 2, winner(0), winner(1)),
  node(3, 'third', 1, loser(0), loser(1)),
]
const DOUBLE = [
  ...FOUR.slice(0, 3),
  node(3, 'lower', 1, loser(0), loser(1)),
  node(4, 'lower', 2, loser(2), winner(3)),
  node(5, 'final', 1, winner(2), winner(4)),
  node(6, 'final', 2, again(5), again(5)),
]

test('a pairing stands between those that its entrants come from', () => {
  const { boxes, lines } = layout(FOUR, 1)
  const [one, other, final, third] = [0, 1, 2, 3].map((number) => boxes.find((box) => box.node.number === number)!)
  expect(final!.y).toBe((one!.y + other!.y) / 2)
  expect(final!.x).toBeGreaterThan(one!.x + SIZES.width)
  expect(third!.x).toBe(final!.x)
  expect(third!.y).toBeGreaterThanOrEqual(final!.y + SIZES.height)
  expect(lines.map(({ from, to }) => [from.node.number, to.node.number])).toEqual([
    [0, 2],
    [1, 2],
  ])
})

test('no two boxes overlap, and all are inside the picture', () => {
  for (const [nodes, lives] of [[FOUR, 1], [DOUBLE, 2]] as const) {
    const { boxes, width, height } = layout([...nodes], lives)
    expect(boxes).toHaveLength(nodes.length)
    for (const box of boxes) {
      expect(box.x).toBeGreaterThanOrEqual(0)
      expect(box.y).toBeGreaterThanOrEqual(0)
      expect(box.x + SIZES.width).toBeLessThanOrEqual(width)
      expect(box.y + SIZES.height).toBeLessThanOrEqual(height)
      const others = boxes.filter((one) => one !== box)
      expect(others.every((one) => Math.abs(one.x - box.x) >= SIZES.width || Math.abs(one.y - box.y) >= SIZES.height)).toBe(true)
    }
  }
})

test('byes are not drawn, nor lines from them', () => {
  const three = [{ ...FOUR[0]!, bye: true, first: 1 }, ...FOUR.slice(1, 3)]
  const { boxes, lines, titles } = layout(three, 1)
  expect(boxes.map((box) => box.node.number)).toEqual([1, 2])
  expect(lines).toHaveLength(1)
  expect(titles.map((title) => title.text)).toEqual(['Semifinals', 'Final'])
})

test('a second final that nobody needs is not drawn', () => {
  const { boxes, titles } = layout([...DOUBLE.slice(0, 6), { ...DOUBLE[6]!, bye: true }], 2)
  expect(boxes.map((box) => box.node.number)).not.toContain(6)
  expect(titles.map((title) => title.text)).toContain('Grand final')
  expect(titles.map((title) => title.text)).not.toContain('If needed, once more')
})

test('rounds have the names that everybody uses', () => {
  expect([1, 2, 3, 4].map((round) => roundTitle('main', round, 4, 1))).toEqual(['Round 1', 'Quarterfinals', 'Semifinals', 'Final'])
  expect(roundTitle('main', 4, 4, 2)).toBe('Upper final')
  expect(roundTitle('lower', 6, 6, 2)).toBe('Lower final')
})

test('arrows go to the nearest pairing in their direction', () => {
  const { boxes } = layout(FOUR, 1)
  const at = (number: number) => boxes.find((box) => box.node.number === number)!
  expect(neighbour(boxes, at(0), 'ArrowDown')).toBe(at(1))
  expect(neighbour(boxes, at(1), 'ArrowRight')?.node.part).toBe('main')
  expect(neighbour(boxes, at(2), 'ArrowDown')).toBe(at(3))
  expect(neighbour(boxes, at(0), 'ArrowLeft')).toBeNull()
  expect(neighbour(boxes, at(0), 'ArrowUp')).toBeNull()
})

test('a name is cut by letters, not by halves of them', () => {
  expect(shortened('Keystone', 8)).toBe('Keystone')
  expect(shortened('Keystones', 8)).toBe('Keyston…')
  expect(shortened('🐜🐜🐜🐜', 3)).toBe('🐜🐜…')
})
