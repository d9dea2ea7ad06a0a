/*
 * Server-sent events. A browser has only six connections to a host, so a tab keeps at most two: one for what happens
 * in the arena (`arenaEvents`), one for a match that is being watched (`liveLines`). Both close while the tab is hidden.
 */
import { LineCounter, splitLines, type Batch } from '../viewer/replay'
import { api, ApiError, feedUrl, liveUrl } from './client'
import { connection } from './connection.svelte'
import type { Duel, EventInfo, Match, Notice, StandingChange, Submission } from './types'

const RETRY_MS = 2000
/** The arena says something every ten seconds; a longer silence is a broken connection that nobody reported. */
const SILENCE_MS = 30_000
/** A page loads what it shows while its stream is opened: the stream begins with what changed since then, and a bit. */
const MARGIN_MS = 1000
const MOST_PAST_MS = 60_000

export interface ArenaListener {
  match?(match: Match): void
  standing?(change: StandingChange): void
  submission?(submission: Submission): void
  duel?(duel: Duel): void
  notice?(notice: Notice): void
  event?(event: EventInfo): void
  /** The announcements have changed: reload them. */
  announcement?(): void
  /** A ladder was frozen or thawed: reload it. */
  ladder?(changed: { game: string }): void
  /** Events may have been missed: reload. */
  missed?(): void
}

const listeners = new Set<ArenaListener>()
let arena: EventSource | null = null
let interrupted = false
/** When the first of these listeners came. */
let since = 0
let silence = 0

/** Subscribes a listener. Returns a function that unsubscribes it. */
export function arenaEvents(listener: ArenaListener): () => void {
  if (listeners.size === 0) since = performance.now()
  listeners.add(listener)
  if (!document.hidden) openArena()
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) closeArena()
  }
}

/** Reconnects as another user: the first upload creates a guest account. */
export function renewEvents(): void {
  if (!arena) return
  interrupted = true
  closeArena()
  openArena()
}

function openArena(): void {
  if (arena) return
  const past = Math.ceil(performance.now() - since) + MARGIN_MS
  if (past > MOST_PAST_MS) interrupted = true
  arena = new EventSource(feedUrl(interrupted ? undefined : past))
  arena.onopen = () => {
    confirmConnection()
    connection.become('live')
    if (interrupted) missed()
    interrupted = false
  }
  arena.onerror = () => {
    interrupted = true
    if (connection.reach !== 'offline') connection.become('lost')
    // The browser reconnects by itself, except after a response that was not a stream.
    if (arena?.readyState === EventSource.CLOSED) {
      closeArena()
      setTimeout(() => !document.hidden && listeners.size > 0 && openArena(), RETRY_MS)
    }
  }
  for (const kind of ['hello', 'alive']) arena.addEventListener(kind, confirmConnection)
  // `arena` follows at once where it is full.
  arena.addEventListener('hello', () => (connection.diskFull = false))
  listen<{ disk_full: boolean }>(arena, 'arena', ({ disk_full }) => (connection.diskFull = disk_full))
  // The arena cannot resume where this stream left off.
  arena.addEventListener('reload', missed)
  listen<Match>(arena, 'match', (match) => listeners.forEach((listener) => listener.match?.(match)))
  listen<StandingChange>(arena, 'standing', (change) => listeners.forEach((listener) => listener.standing?.(change)))
  listen<Duel>(arena, 'duel', (duel) => listeners.forEach((listener) => listener.duel?.(duel)))
  listen<unknown>(arena, 'announcement', () => listeners.forEach((listener) => listener.announcement?.()))
  listen<{ game: string }>(arena, 'ladder', (changed) => listeners.forEach((listener) => listener.ladder?.(changed)))
  listen<EventInfo>(arena, 'event', (event) => listeners.forEach((listener) => listener.event?.(event)))
  listen<Notice>(arena, 'notice', (notice) => listeners.forEach((listener) => listener.notice?.(notice)))
  listen<Submission>(arena, 'submission', (submission) => listeners.forEach((l) => l.submission?.(submission)))
}

function missed(): void {
  for (const listener of listeners) listener.missed?.()
}

function closeArena(): void {
  clearTimeout(silence)
  arena?.close()
  arena = null
}

/** Something came: the connection works. */
function confirmConnection(): void {
  clearTimeout(silence)
  silence = setTimeout(() => {
    connection.become('lost')
    renewEvents()
  }, SILENCE_MS) as unknown as number
}

function listen<T>(source: EventSource, kind: string, then: (value: T) => void): void {
  source.addEventListener(kind, (event) => {
    if (source === arena) confirmConnection()
    then(JSON.parse((event as MessageEvent<string>).data) as T)
  })
}

if (typeof document !== 'undefined') {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      interrupted = arena !== null
      closeArena()
    } else if (listeners.size > 0) {
      openArena()
    }
  })
}

if (typeof window !== 'undefined') {
  addEventListener('offline', () => {
    connection.become('offline')
    interrupted = true
    closeArena()
  })
  addEventListener('online', () => {
    // With the arena's stream, the others are opened anew once that one is.
    if (listeners.size === 0) reopenLines()
    else if (!document.hidden) openArena()
  })
}

/** The streams of matches that are watched: each opens its own anew. */
const watched = new Set<() => void>()

/** Nothing is said on them for as long as a bot thinks, or a person: that one is broken shows on the arena's. */
function reopenLines(): void {
  if (!document.hidden) for (const reopen of watched) reopen()
}
connection.whenBack(reopenLines)

/** The lines of a match as they are played, in batches, each line once whatever the connection does. Throws where the match is
 *  gone, or no longer the reader's to see. */
export async function* liveLines(
  of: Pick<Match, 'id' | 'live_url'>,
  status: (match: Match) => void,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  const counter = new LineCounter()
  const batches: Batch[] = []
  let wake = (): void => {}
  let over = false
  let failure: unknown = null
  let source: EventSource | null = null

  const open = (): void => {
    if (source || over) return
    source = new EventSource(of.live_url)
    source.addEventListener('lines', (event) => {
      const { data, lastEventId } = event as MessageEvent<string>
      batches.push(...counter.accept(lastEventId, JSON.parse(data) as string[]))
      wake()
    })
    listen<Match>(source, 'status', status)
    source.addEventListener('end', finish)
    source.onerror = () => {
      if (source?.readyState !== EventSource.CLOSED) return
      close()
      setTimeout(() => void again(), RETRY_MS)
    }
  }
  /** A stream that is refused does not say why. */
  const again = async (): Promise<void> => {
    if (document.hidden || source || over) return
    await api.match(of.id).catch((error: unknown) => {
      if (!isLost(error)) return
      failure = error
      finish()
    })
    if (!document.hidden) open()
  }
  const close = (): void => {
    source?.close()
    source = null
  }
  const finish = (): void => {
    over = true
    close()
    wake()
  }
  const seen = (): void => (document.hidden ? close() : open())
  const reopen = (): void => {
    close()
    open()
  }

  document.addEventListener('visibilitychange', seen)
  watched.add(reopen)
  signal.addEventListener('abort', finish)
  open()
  try {
    while (!signal.aborted) {
      const batch = batches.shift()
      if (batch) yield batch
      else if (failure !== null) throw failure
      else if (over) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    finish()
    document.removeEventListener('visibilitychange', seen)
    watched.delete(reopen)
    signal.removeEventListener('abort', finish)
  }
}

const FIRST_PAUSE_MS = 100
const MOST_PAUSE_MS = 2000
const MOST_FAILURES = 8

/** The match once it is over: its last line comes a moment before its result is stored, longer on a busy machine. */
export async function matchWhenOver(id: number, signal: AbortSignal): Promise<Match> {
  let failures = 0
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MOST_PAUSE_MS)) {
    try {
      const match = await api.match(id)
      if (match.state === 'done' || match.state === 'void' || signal.aborted) return match
      failures = 0
    } catch (error) {
      // It was played to its end: an arena that is out of reach for a moment does not change that.
      if (signal.aborted || !isPassing(error) || ++failures === MOST_FAILURES) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
const isLost = (error: unknown): boolean => error instanceof ApiError && (error.status === 401 || error.status === 404)
const isPassing = (error: unknown): boolean => error instanceof ApiError && (error.status === 0 || error.status >= 500)

/** All lines of a match: its file if it is over, else (with `live`) those that are played from now on. */
export async function* matchLines(id: number, live: boolean, signal: AbortSignal): AsyncGenerator<Batch> {
  if (live && (await api.match(id)).state !== 'done') yield* liveLines({ id, live_url: liveUrl(id) }, () => {}, signal)
  else yield* splitLines(await api.replay(id))
}
