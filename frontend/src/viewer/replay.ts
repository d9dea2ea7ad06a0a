/*
 * Reading a replay. On disk, over HTTP and live it is one text: a header line, a line a turn, an end line.
 * A source yields lines as they arrive; `readReplay` parses them and calls a listener for each.
 */
import type { End, Frame, Header } from './lines'

export type ReplayLine = Header | Frame | End

/** A line of a seat's private log: what the bot read, wrote and logged, and the milliseconds it took. */
export interface Exchange {
  t: number
  i: string
  o: string | null
  e: string
  cpu: number
  ms: number
}

/** Called in the order of the lines. */
export interface ReplayListener {
  header(header: Header): void | Promise<void>
  frame(frame: Frame): void
  end(end: End): void
  /** The match restarts: discard all lines so far. */
  restart(): void
  /** All lines so far are handled: a good moment to draw. */
  idle(): void
}

/** Some lines in order, or RESTART: the match restarts, discard the lines before. */
export type Batch = string[] | typeof RESTART
export const RESTART = Symbol('restart')

/** Feeds a listener until the replay ends. Returns false when the lines stop before the end. */
export async function readReplay(batches: AsyncIterable<Batch>, listener: ReplayListener): Promise<boolean> {
  for await (const batch of batches) {
    if (batch === RESTART) {
      listener.restart()
      continue
    }
    for (const text of batch) {
      const line = JSON.parse(text) as ReplayLine
      if ('v' in line) await listener.header(line)
      else if ('end' in line) listener.end(line)
      else listener.frame(line)
      if ('end' in line) {
        listener.idle()
        return true
      }
    }
    listener.idle()
  }
  return false
}

/** Splits a byte stream into whole lines: one batch for each chunk that completes a line. */
export async function* splitLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const parts = (rest + (value ?? '')).split('\n')
      rest = done ? '' : parts.pop()!
      const lines = parts.filter((line) => line !== '')
      if (lines.length) yield lines
      if (done) return
    }
  } finally {
    // A reader that stops cancels the download; after a failure there is nothing to cancel.
    reader.cancel().catch(() => {})
  }
}

/** The lines of a replay at an address of this server. Throws an Error that says why there are none, with the answer's `status`. */
export async function* linesAt(address: string): AsyncGenerator<string[]> {
  const response = await fetch(address).catch(() => null)
  if (!response?.ok) throw Object.assign(new Error(whyNone(address, response?.status)), { status: response?.status ?? 0 })
  yield* splitLines(response.body!)
}

function whyNone(address: string, status?: number): string {
  if (status === undefined) return 'The replay could not be loaded: the server does not answer.'
  return status === 404 ? `There is no replay at ${address}.` : `The replay could not be loaded: the server answered ${status}.`
}

/** The first turns of a finished match, then an end. Reads little more than that. */
export async function* clip(batches: AsyncIterable<Batch>, turns: number): AsyncGenerator<Batch> {
  let left = 1 + turns
  for await (const batch of batches) {
    if (batch === RESTART) {
      left = 1 + turns
    } else if (batch.length > left) {
      yield [...batch.slice(0, left), CUT]
      return
    } else {
      left -= batch.length
    }
    yield batch
  }
}
const CUT = JSON.stringify({ end: true, void: 'only the beginning is shown' })

/**
 * Lets each line through once, although batches overlap after a reconnect. A batch's id is "<attempt>-<lines>": the
 * lines of that attempt that are known once the batch is.
 */
export class LineCounter {
  #attempt: string | null = null
  #have = 0

  /** The new lines of a batch, after RESTART if they belong to another attempt. Throws if lines are missing. */
  accept(id: string, lines: string[]): Batch[] {
    const [attempt = '', known] = id.split('-')
    const restarted = this.#attempt !== null && this.#attempt !== attempt
    if (this.#attempt !== attempt) this.#have = 0
    this.#attempt = attempt
    const first = Number(known) - lines.length
    if (!(first <= this.#have)) throw new Error(`Replay lines are missing: expected line ${this.#have}, got batch ${id}.`)
    const fresh = lines.slice(this.#have - first)
    this.#have += fresh.length
    return [...(restarted ? [RESTART] : []), ...(fresh.length ? [fresh] : [])] as Batch[]
  }
}
