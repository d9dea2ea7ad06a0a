import { afterEach, describe, expect, test, vi } from 'vitest'
import type { End, Frame, Header } from '../src/viewer/lines'
import { clip, LineCounter, linesAt, readReplay, RESTART, splitLines, type Batch } from '../src/viewer/replay'

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
  test('reports lines in order, and when there is time to draw', async () => {
    const heard = new Heard()
    expect(await readReplay(batches([HEADER, '{"t":1}'], ['{"t":2}', END]), heard)).toBe(true)
    expect(heard.said).toEqual(['header ants', 'frame 1', 'idle', 'frame 2', 'end done', 'idle'])
  })

  test('reports when the lines stop before the end', async () => {
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

describe('what follows the end', () => {
  test('is not read', async () => {
    const heard = new Heard()
    let asked = 0
    async function* source(): AsyncGenerator<Batch> {
      yield [HEADER, END, '{"t":9}']
      asked++
      yield ['{"t":10}']
    }
    expect(await readReplay(source(), heard)).toBe(true)
    expect(heard.said).toEqual(['header ants', 'end done', 'idle'])
    expect(asked).toBe(0)
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

  test('are not empty', async () => {
    const found: string[][] = []
    for await (const batch of splitLines(new Blob(['\n\na\n\nb\n\n']).stream())) found.push(batch)
    expect(found).toEqual([['a', 'b']])
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
      'end only the beginning is shown',
    ])
  })

  test('is all of a short one', async () => {
    const heard = new Heard()
    await readReplay(clip(batches([HEADER, '{"t":1}', END]), 3), heard)
    expect(heard.said).toEqual(['header ants', 'frame 1', 'end done', 'idle'])
  })

  test('is counted anew after a restart', async () => {
    const heard = new Heard()
    await readReplay(clip(batches([HEADER, '{"t":1}', '{"t":2}'], RESTART, [HEADER, '{"t":1}'], ['{"t":2}', END]), 2), heard)
    expect(heard.said.slice(-5)).toEqual(['frame 1', 'idle', 'frame 2', 'end only the beginning is shown', 'idle'])
  })

  test('needs no end of its own where exactly so many turns have come', async () => {
    const found: Batch[] = []
    for await (const batch of clip(batches([HEADER, '{"t":1}'], [END]), 1)) found.push(batch)
    expect(found[0]).toEqual([HEADER, '{"t":1}'])
    expect(found).toHaveLength(2)
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
    expect(counter.accept('1-2', ['a', 'b'])).toEqual([['a', 'b']])
    expect(counter.accept('1-3', ['a', 'b', 'c'])).toEqual([['c']])
    expect(counter.accept('1-3', ['b', 'c'])).toEqual([])
    expect(counter.accept('1-4', ['d'])).toEqual([['d']])
  })

  test('forgets the lines of an attempt that was given up', () => {
    const counter = new LineCounter()
    counter.accept('1-2', ['a', 'b'])
    expect(counter.accept('2-1', ['x'])).toEqual([RESTART, ['x']])
    expect(counter.accept('2-2', ['y'])).toEqual([['y']])
  })

  test('does not go on over a gap', () => {
    const counter = new LineCounter()
    counter.accept('1-1', ['a'])
    expect(() => counter.accept('1-3', ['c'])).toThrow('missing')
    expect(() => counter.accept('nonsense', ['c'])).toThrow('missing')
  })
})

describe('a replay at an address', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })
  const read = async (answer: () => Promise<Response>): Promise<unknown> => {
    vi.stubGlobal('fetch', answer)
    const lines: string[] = []
    try {
      for await (const batch of linesAt('/replay.jsonl')) lines.push(...batch)
    } catch (error) {
      return [(error as Error).message, (error as { status?: number }).status]
    }
    return lines
  }

  test('is read', async () => {
    expect(await read(async () => new Response(`${HEADER}\n${END}\n`))).toEqual([HEADER, END])
  })

  test('says why it is not there', async () => {
    expect(await read(async () => new Response('', { status: 404 }))).toEqual(['There is no replay at /replay.jsonl.', 404])
    expect(await read(async () => new Response('', { status: 503 }))).toEqual(['The replay could not be loaded: the server answered 503.', 503])
    expect(await read(() => Promise.reject(new TypeError('Failed to fetch')))).toEqual(['The replay could not be loaded: the server does not answer.', 0])
  })
})
