/*
 * Life on a torus, 32 cells a word. A row begins with a new word, its first cell in the lowest bit; the bits after a
 * row's last cell are 0. A generation adds up neighbours for 32 cells at once, so it costs a fraction of a millisecond.
 *
 * A cell's age is for how many turns it has been as it is, alive or dead, from 0 to OLDEST; ages are kept in four
 * planes of bits. Words are signed, because that is what JavaScript's bit operators give; only their bits count.
 */

export type Cells = Int32Array

/** Ages stop here. */
export const OLDEST = 15
const AGE_BITS = 4

/** Words in a row. */
export const rowWords = (size: number): number => (size + 31) >> 5

export const isAlive = (cells: Cells, size: number, x: number, y: number): boolean =>
  ((cells[y * rowWords(size) + (x >> 5)]! >>> (x & 31)) & 1) === 1

export function setCell(cells: Cells, size: number, x: number, y: number, alive: boolean): void {
  const word = y * rowWords(size) + (x >> 5)
  const bit = 1 << (x & 31)
  cells[word] = alive ? cells[word]! | bit : cells[word]! & ~bit
}

/** A board from base64: cell i of the rows one after the other is bit i & 7 of byte i >> 3. */
export function unpack(text: string, size: number): Cells {
  const bytes = atob(text)
  const cells = new Int32Array(rowWords(size) * size)
  const last = Math.min(bytes.length, (size * size + 7) >> 3)
  for (let at = 0; at < last; at++) {
    let byte = bytes.charCodeAt(at)
    for (let i = at * 8; byte !== 0; i++, byte >>= 1) {
      if (byte & 1 && i < size * size) setCell(cells, size, i % size, Math.floor(i / size), true)
    }
  }
  return cells
}

/** How many cells are alive. */
export function count(cells: Cells): number {
  let sum = 0
  for (let i = 0; i < cells.length; i++) {
    let word = cells[i]!
    if (word === 0) continue
    word -= (word >>> 1) & 0x55555555
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
    sum += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return sum
}

/**
 * The next generation. Goes down the board a column of words at a time, so that what it knows of the two rows above
 * stays in registers: for each cell, how many of itself and its neighbours to the left and right are alive, as two
 * bits (`u`, `u2` for the row above, `m`, `m2` for the row itself, `l`, `l2` for the one below).
 */
export function generation(cells: Cells, size: number): Cells {
  const words = rowWords(size)
  const last = words - 1
  const end = (size - 1) & 31
  const next = new Int32Array(cells.length)
  for (let i = 0; i < words; i++) {
    const west = i > 0 ? -1 : last
    const east = i < last ? 1 : -last
    const fromWest = i > 0 ? 31 : end
    const toEast = i < last ? 31 : end
    const valid = i < last || end === 31 ? -1 : (1 << (end + 1)) - 1
    let u = 0
    let u2 = 0
    let m = 0
    let m2 = 0
    let self = 0
    // Two rows are read before the first one is written.
    for (let y = -2; y < size; y++) {
      const at = (y + 1 < 0 ? size - 1 : y + 1 < size ? y + 1 : 0) * words + i
      const word = cells[at]!
      const left = (word << 1) | ((cells[at + west]! >>> fromWest) & 1)
      const right = (word >>> 1) | ((cells[at + east]! & 1) << toEast)
      const l = left ^ word ^ right
      const l2 = (left & word) | (right & (left ^ word))
      if (y >= 0) {
        // The sum of all nine: `odd` its ones; its twos are u2, m2, l2 and `carry`, added in pairs.
        const odd = u ^ m ^ l
        const carry = (u & m) | (l & (u ^ m))
        const a = u2 ^ m2
        const b = l2 ^ carry
        const aa = u2 & m2
        const bb = l2 & carry
        const one = (a ^ b) & ~(aa | bb)
        const two = (a & b) | ((aa ^ bb) & ~(a | b))
        // Three with itself: 2 neighbours and alive, or 3 and dead. Four and alive: 3 neighbours.
        next[y * words + i] = ((odd & one) | (~odd & two & self)) & valid
      }
      u = m
      u2 = m2
      m = l
      m2 = l2
      self = word
    }
  }
  return next
}

/** The ages of a board's cells. `trail`: the boards before, the newest first; before those nothing had changed. */
export function agesOf(cells: Cells, trail: Cells[]): Int32Array {
  const length = cells.length
  const ages = new Int32Array(AGE_BITS * length).fill(-1)
  for (let i = 0; i < length; i++) {
    const now = cells[i]!
    let changed = 0
    for (let back = 0; back < trail.length; back++) changed |= now ^ trail[back]![i]!
    if (changed === 0) continue
    // Counts turn by turn, for those cells that have been the same since.
    let same = -1
    let a = 0
    let b = 0
    let c = 0
    let d = 0
    for (let back = 0; back < trail.length && same !== 0; back++) {
      same &= ~(now ^ trail[back]![i]!)
      const toB = a & same
      const toC = b & toB
      d ^= c & toC
      c ^= toC
      b ^= toB
      a ^= same
    }
    ages[i] = a | same
    ages[length + i] = b | same
    ages[2 * length + i] = c | same
    ages[3 * length + i] = d | same
  }
  return ages
}

/** For how many turns a cell has been as it is; OLDEST means that or more. */
export function ageAt(ages: Int32Array, size: number, x: number, y: number): number {
  const length = ages.length / AGE_BITS
  const word = y * rowWords(size) + (x >> 5)
  let age = 0
  for (let bit = 0; bit < AGE_BITS; bit++) age |= ((ages[bit * length + word]! >>> (x & 31)) & 1) << bit
  return age
}

/** Paints each cell into `pixels`, row by row: `colours[age]` for dead cells, `colours[16 + age]` for living ones. */
export function paintCells(
  pixels: Uint32Array,
  cells: Cells,
  ages: Int32Array,
  size: number,
  colours: Uint32Array,
): void {
  const words = rowWords(size)
  const length = cells.length
  const ground = colours[OLDEST]!
  for (let y = 0; y < size; y++) {
    for (let i = 0; i < words; i++) {
      const word = y * words + i
      let at = y * size + i * 32
      const end = Math.min(at + 32, (y + 1) * size)
      let alive = cells[word]!
      let a = ages[word]!
      let b = ages[length + word]!
      let c = ages[2 * length + word]!
      let d = ages[3 * length + word]!
      if (alive === 0 && (a & b & c & d) === -1) {
        pixels.fill(ground, at, end)
        continue
      }
      for (; at < end; at++) {
        pixels[at] = colours[((alive & 1) << 4) | ((d & 1) << 3) | ((c & 1) << 2) | ((b & 1) << 1) | (a & 1)]!
        alive >>>= 1
        a >>>= 1
        b >>>= 1
        c >>>= 1
        d >>>= 1
      }
    }
  }
}
