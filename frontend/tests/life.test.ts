import { describe, expect, test } from 'vitest'
import { ageAt, agesOf, count, generation, isAlive, OLDEST, rowWords, setCell, unpack, type Cells } from '../../games/battlegrounds/life'

function board(...rows: string[]): Cells {
  const cells = new Int32Array(rowWords(rows.length) * rows.length)
  rows.forEach((row, y) => [...row].forEach((cell, x) => setCell(cells, rows.length, x, y, cell === '#')))
  return cells
}
function picture(cells: Cells, size: number): string[] {
  const places = Array.from({ length: size }, (_, i) => i)
  return places.map((y) => places.map((x) => (isAlive(cells, size, x, y) ? '#' : '.')).join(''))
}
/** A board that only depends on its size, about a third of it alive. */
function soup(size: number): Cells {
  const cells = new Int32Array(rowWords(size) * size)
  let drawn = size
  for (let i = 0; i < size * size; i++) {
    drawn = (Math.imul(drawn, 1103515245) + 12345) >>> 0
    if (drawn >>> 16 < 22000) setCell(cells, size, i % size, Math.floor(i / size), true)
  }
  return cells
}
/** The rules as one reads them. */
function slowly(cells: Cells, size: number): Cells {
  const next = new Int32Array(cells.length)
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      let n = 0
      for (const dx of [-1, 0, 1]) {
        for (const dy of [-1, 0, 1]) {
          if ((dx || dy) && isAlive(cells, size, (x + dx + size) % size, (y + dy + size) % size)) n++
        }
      }
      setCell(next, size, x, y, n === 3 || (n === 2 && isAlive(cells, size, x, y)))
    }
  }
  return next
}

describe('Life', () => {
  test('a blinker turns, also across the edge', () => {
    const upright = board('#....', '.....', '.....', '#....', '#....')
    const lying = generation(upright, 5)
    expect(picture(lying, 5)).toEqual(['.....', '.....', '.....', '.....', '##..#'])
    expect(generation(lying, 5)).toEqual(upright)
  })

  test.each([3, 5, 31, 32, 33, 64, 65, 100])('is played by the rules on a board of %i', (size) => {
    let cells = soup(size)
    for (let turn = 0; turn < 4; turn++) {
      const next = generation(cells, size)
      expect(next).toEqual(slowly(cells, size))
      cells = next
    }
  })

  test('counts what is alive', () => {
    expect(count(board('##.', '...', '..#'))).toBe(3)
    const cells = soup(65)
    expect(count(cells)).toBe(picture(cells, 65).join('').replaceAll('.', '').length)
  })

  test('a packed board begins with the lowest bit, and its rows follow each other', () => {
    const text = btoa(String.fromCharCode(0b0010_0001, 0b1))
    expect(picture(unpack(text, 3), 3)).toEqual(['#..', '..#', '..#'])
  })
})

describe('ages', () => {
  test('begin anew where a cell changes, and grow until they are old', () => {
    const before = board('#..', '...', '...')
    const after = board('.#.', '...', '...')
    const ages = agesOf(after, [before])
    expect([ageAt(ages, 3, 0, 0), ageAt(ages, 3, 1, 0), ageAt(ages, 3, 2, 2)]).toEqual([0, 0, OLDEST])
    const trail = [before]
    for (let turn = 1; turn <= OLDEST; turn++) {
      trail.unshift(after)
      expect(ageAt(agesOf(after, trail), 3, 0, 0)).toBe(turn)
    }
  })

  test('of a cell that went and came back begin when it came back', () => {
    const [on, off] = [board('#..', '...', '...'), board('...', '...', '...')]
    expect(ageAt(agesOf(on, [on, on, off, on]), 3, 0, 0)).toBe(2)
    expect(ageAt(agesOf(on, [on, on, off, on]), 3, 1, 0)).toBe(OLDEST)
  })
})
