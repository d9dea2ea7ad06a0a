/* What organisers did, newest first: as far back as the reader has asked, and what is added while the page is open. */
import { api, errorMessage, whenChanged } from './client'
import { dateTime } from './format'
import { Resource } from './resource.svelte'
import type { AuditItem } from './types'

export const PAGE = 100
/** Others act as well, and other tabs. */
const READ_MS = 10_000

export class AuditLog {
  readonly log: Resource<AuditItem[]> = new Resource(async () => {
    const { items } = await api.auditLog({ event: this.event })
    // An older page may have come meanwhile.
    return withNewest(this.log.value ?? [], items)
  })
  refused = $state('')
  whole = $state(false)
  reading = $state(false)
  readonly items = $derived(this.log.value ?? [])
  readonly hasOlder = $derived(this.items.length >= PAGE && !this.whole)

  /** `event`: of this event only. */
  constructor(readonly event?: number) {}

  /** Reads it, and again after every change made here, and now and then while it is seen. Returns what ends this. */
  follow(): () => void {
    const read = (): void => void this.log.load()
    const look = (): void => {
      if (!document.hidden) read()
    }
    read()
    const forget = whenChanged(read)
    const timer = setInterval(look, READ_MS)
    document.addEventListener('visibilitychange', look)
    return () => {
      forget()
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }

  async older(): Promise<void> {
    if (this.reading) return
    this.refused = ''
    this.reading = true
    try {
      const before = this.items.at(-1)!.id
      const older = (await api.auditLog({ event: this.event, before })).items
      this.log.value = [...this.items.filter(({ id }) => id >= before), ...older]
      this.whole = older.length < PAGE
    } catch (error) {
      this.refused = errorMessage(error)
    } finally {
      this.reading = false
    }
  }
}

/** `fresh`: the newest page. The older ones stay below it, unless there are others between. */
export function withNewest(shown: AuditItem[], fresh: AuditItem[]): AuditItem[] {
  const last = fresh.at(-1)?.id ?? Infinity
  const touches = fresh.length < PAGE || shown.some(({ id }) => id >= last)
  return touches ? [...fresh, ...shown.filter(({ id }) => id < last)] : fresh
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
/** Characters that turn what follows around: in a reason, they would garble the rest of its line. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g

/** What an entry is about, in words: times as everywhere on the pages, in the reader's zone. */
export const detailText = (detail: Record<string, unknown>): string =>
  Object.entries(detail)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${valueText(value)}`)
    .join(', ')

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(' and ')
  if (typeof value === 'object') return JSON.stringify(value)
  const text = String(value).replace(TURNS, '')
  return TIME.test(text) && !Number.isNaN(Date.parse(text)) ? dateTime(text) : text
}
