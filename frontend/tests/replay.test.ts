import { describe, expect, test } from 'vitest'
import type { End, Frame, Header } from '../src/viewer/game'
import { clip, LineCounter, readReplay, RESTART, splitLines, type Batch } from '../src/viewer/replay'

const HEADER = '{"v":1,"game":"ants","players":[]}'
const END = '{"end":true,"scores":[1,0],"ranks":[0,1],"reason":"done"}'

class Heard {
  said: string[] = []
  header = (header: Header): void => void this.said.push(`header ${header.game}`)
  frame = (frame: Frame): void => void this.said.push(`frame ${frame.t}`)
  end = (end: End): void => void this.said.push(`end ${end.void ?? end.reason}`)
  restart = (): void => void this.said.push('restart')
  idle = (): void => void this.said.push('idle')
}
async function* batches(...all: Batch[]): AsyncGenerator<Batch> {
  yield* all
}

describe('reading a replay', () => {
  test('tells lines in order, and when there is time to draw', async () => {
    const heard = new Heard()
    expect(await readReplay(batches([HEADER, '{"t":1}'], ['{"t":2}', END]), heard)).toBe(true)
    expect(heard.said).toEqual(['header ants', 'frame 1', 'idle', 'frame 2', 'end done', 'idle'])
  })

  test('says when the lines stop before the end', async () => {
    expect(await readReplay(batches([HEADER, '{"t":1}']), new Heard())).toBe(false)
  })

  test('passes a restart on', async () => {
    const heard = new Heard()
    await readReplay(batches([HEADER], RESTART, [HEADER, '{"end":true,"void":"the worker died"}']), heard)
    expect(heard.said).toEqual(['header ants', 'idle', 'restart', 'header ants', 'end the worker died', 'idle'])
  })

  test('waits for a header that loads the game', async () => {
    const heard = new Heard()
    const slow = {
      ...heard,
      header: async (): Promise<void> => {
        await new Promise((resolve) => setTimeout(resolve))
        heard.said.push('loaded')
      },
    }
    await readReplay(batches([HEADER, '{"t":1}', END]), slow)
    expect(heard.said).toEqual(['loaded', 'frame 1', 'end done', 'idle'])
  })
})

describe('lines from a byte stream', () => {
  const bytes = new TextEncoder().encode('{"a":"é"}\n{"b":2}\n{"c":3}')

  async function read(sizes: number[]): Promise<string[]> {
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const size of [...sizes, bytes.length]) controller.enqueue(bytes.slice(at, (at += size)))
        controller.close()
      },
    })
    const lines: string[] = []
    for await (const batch of splitLines(body)) lines.push(...batch)
    return lines
  }

  test('are whole wherever the chunks are cut, within a letter too', async () => {
    const expected = ['{"a":"é"}', '{"b":2}', '{"c":3}']
    for (let cut = 0; cut <= bytes.length; cut++) expect(await read([cut])).toEqual(expected)
    expect(await read(Array.from({ length: bytes.length }, () => 1))).toEqual(expected)
  })
})

describe('the beginning of a replay', () => {
  test('is so many turns and an end', async () => {
    const heard = new Heard()
    const all = batches([HEADER, '{"t":1}'], ['{"t":2}', '{"t":3}', '{"t":4}'], [END])
    expect(await readReplay(clip(all, 3), heard)).toBe(true)
    expect(heard.said.filter((said) => said !== 'idle')).toEqual([
      'header ants',
      'frame 1',
      'frame 2',
      'frame 3',
      'end only its beginning is shown',
    ])
  })

  test('is all of a short one', async () => {
    const heard = new Heard()
    await readReplay(clip(batches([HEADER, '{"t":1}', END]), 3), heard)
    expect(heard.said).toEqual(['header ants', 'frame 1', 'end done', 'idle'])
  })

  test('stops the download', async () => {
    let stopped = false
    const body = new ReadableStream<Uint8Array>({
      start: (to) => to.enqueue(new TextEncoder().encode(`${HEADER}\n{"t":1}\n{"t":2}\n`)),
      cancel: () => void (stopped = true),
    })
    await readReplay(clip(splitLines(body), 1), new Heard())
    await Promise.resolve()
    expect(stopped).toBe(true)
  })
})

describe('counting lines of a live match', () => {
  test('lets each line through once after a reconnect', () => {
    const counter = new LineCounter()
    expect(counter.take('1-2', ['a', 'b'])).toEqual([['a', 'b']])
    expect(counter.take('1-3', ['a', 'b', 'c'])).toEqual([['c']])
    expect(counter.take('1-3', ['b', 'c'])).toEqual([])
    expect(counter.take('1-4', ['d'])).toEqual([['d']])
  })

  test('forgets the lines of an attempt that was given up', () => {
    const counter = new LineCounter()
    counter.take('1-2', ['a', 'b'])
    expect(counter.take('2-1', ['x'])).toEqual([RESTART, ['x']])
    expect(counter.take('2-2', ['y'])).toEqual([['y']])
  })

  test('does not go on over a gap', () => {
    const counter = new LineCounter()
    counter.take('1-1', ['a'])
    expect(() => counter.take('1-3', ['c'])).toThrow('missing')
    expect(() => counter.take('nonsense', ['c'])).toThrow('missing')
  })
})
