import { describe, expect, it } from 'vitest'
import { hides, seenFrom } from '../src/viewer/hidden'
import type { Frame, Header } from '../src/viewer/lines'

const header = { v: 1, init: { hand: 2, hidden: { '0': [1, 2], '1': [3, 4], nobody: [5] } } } as unknown as Header
const frame = {
  t: 3,
  played: 7,
  hidden: { '1': 9 },
  notes: [
    [0, 'info', 'to the first'],
    [1, 'fault', 'to the second'],
  ],
} as unknown as Frame
const open = { t: 4, played: 8 } as unknown as Frame

describe('what not everybody sees', () => {
  it('is there for whoever sees everything', () => {
    expect(seenFrom('all', header)).toBe(header)
    expect(seenFrom('all', frame)).toBe(frame)
  })

  it('is a part of its own for a seat', () => {
    expect(seenFrom(1, header)).toEqual({ v: 1, init: { hand: 2, hidden: { '1': [3, 4] } } })
    expect(seenFrom(1, frame)).toEqual({ t: 3, played: 7, hidden: { '1': 9 }, notes: [[1, 'fault', 'to the second']] })
    expect(seenFrom(0, frame)).toEqual({ t: 3, played: 7, notes: [[0, 'info', 'to the first']] })
  })

  it('is not there for whoever watched', () => {
    expect(seenFrom('watching', header)).toEqual({ v: 1, init: { hand: 2 } })
    expect(seenFrom('watching', frame)).toEqual({ t: 3, played: 7, notes: [] })
    expect(seenFrom('watching', open)).toEqual(open)
  })

  it('leaves the lines as they were', () => {
    const before = JSON.stringify([header, frame])
    seenFrom(0, header)
    seenFrom(0, frame)
    expect(JSON.stringify([header, frame])).toBe(before)
  })

  it('is found in a header and in a frame', () => {
    expect([header, frame, open].map(hides)).toEqual([true, true, false])
  })
})
