/* Words of the webhook on the account's page. Pure. */
import type { NewWebhook, WebhookMessage } from './types'

export type Kind = NonNullable<NewWebhook['kinds']>[number]

/** The kinds of notices, and when each is sent. */
export const KINDS: { id: Kind; when: string }[] = [
  { id: 'promoted', when: 'A bot of yours moved up a league.' },
  { id: 'demoted', when: 'A bot of yours fell back a league.' },
  { id: 'overtaken', when: 'Another bot passed yours; once a day at most.' },
  { id: 'disabled', when: 'A bot of yours was taken off the ladder.' },
  { id: 'failed', when: 'A version of yours did not build or play.' },
  { id: 'duel', when: 'A duel of yours ended.' },
  { id: 'frozen', when: 'An event’s deadline is over: which version of yours plays.' },
  { id: 'out', when: 'A bot of yours is out of an event.' },
  { id: 'placed', when: 'An event is over: which place you have.' },
  { id: 'marked', when: 'An assignment of your class was marked.' },
]

/** What is sent: null for all kinds, so that later kinds come along. */
export const wanted = (chosen: readonly Kind[]): Kind[] | null => (chosen.length === KINDS.length ? null : [...chosen])
export const chosen = (kinds: readonly Kind[] | null): Kind[] => KINDS.map((one) => one.id).filter((id) => kinds?.includes(id) ?? true)

const MINUTE_S = 60
const HOUR_S = 3600

/** How long until a time, in one word or two. */
export function until(time: string, now: number): string {
  const seconds = Math.ceil((Date.parse(time) - now) / 1000)
  if (seconds <= 0) return 'now'
  if (seconds < MINUTE_S) return `in ${seconds} s`
  if (seconds < HOUR_S) return `in ${Math.round(seconds / MINUTE_S)} min`
  return `in ${Math.round(seconds / HOUR_S)} h`
}

type Message = Pick<WebhookMessage, 'state' | 'tries' | 'status' | 'problem' | 'next_at'>

/** What became of a message: “Delivered”, “Failed: 500, next try in 4 min”. */
export function outcome(message: Message, now: number): string {
  const why = message.status ?? message.problem?.replace(/\.$/, '') ?? 'no answer'
  const tries = message.tries === 1 ? '' : ` after ${message.tries} tries`
  switch (message.state) {
    case 'delivered':
      return `Delivered${tries}`
    case 'sending':
      return 'Being sent'
    case 'failed':
      return `Failed: ${why}, given up${tries}`
    case 'pending':
      if (message.tries === 0 || (message.status === null && message.problem === null)) return 'Waiting to be sent'
      return `Failed: ${why}, next try ${message.next_at ? until(message.next_at, now) : 'now'}`
  }
}

/** Whether its state may change within the next seconds. */
export const isMoving = ({ state, next_at }: Pick<WebhookMessage, 'state' | 'next_at'>, now: number): boolean =>
  state === 'sending' || (state === 'pending' && (next_at === null || Date.parse(next_at) - now < 10_000))
