import { describe, expect, test } from 'vitest'
import { FaultList, faultsOf } from '../src/viewer/faults'

describe('faults', () => {
  test('are those of the referee, and warnings without a fault', () => {
    const faults = faultsOf({
      t: 3,
      faults: [
        [1, 'illegal', 'expected 1 to 3, got 9'],
        [0, 'warning', 'no such cell'],
      ],
      notes: [
        [1, 'fault', '$1 is out'],
        [0, 'warning', 'no such cell'],
        [1, 'warning', 'late'],
        [0, 'info', 'hello'],
      ],
    })
    expect(faults).toEqual([
      { turn: 3, seat: 1, kind: 'illegal', message: 'expected 1 to 3, got 9' },
      { turn: 3, seat: 0, kind: 'warning', message: 'no such cell' },
      { turn: 3, seat: 1, kind: 'warning', message: 'late' },
    ])
  })

  test('that come again are counted, and new only once', () => {
    const list = new FaultList()
    const fault = { seat: 2, kind: 'invalid', message: 'expected a number, got nothing' }
    expect(list.add([{ turn: 1, ...fault }])).toHaveLength(1)
    expect(list.add([{ turn: 2, ...fault }, { turn: 2, ...fault, seat: 3 }])).toEqual([{ turn: 2, ...fault, seat: 3 }])
    expect(list.all).toEqual([
      { turn: 1, ...fault, count: 2 },
      { turn: 2, ...fault, seat: 3, count: 1 },
    ])
  })
})
