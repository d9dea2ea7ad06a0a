/* Two replays side by side: where they part. Pure. */
import type { Frame } from '../viewer/lines'
import type { ReplaySession } from '../viewer/session.svelte'

type Read = Pick<ReplaySession, 'timeline' | 'complete'>

/** The first turn that is not the same in both, CPU times aside; null where there is none. */
export function firstDifference(one: Frame[], other: Frame[]): number | null {
  const shorter = Math.min(one.length, other.length)
  for (let at = 0; at < shorter; at++) {
    if (content(one[at]!) !== content(other[at]!)) return one[at]!.t
  }
  if (one.length === other.length) return null
  return (one[shorter] ?? other[shorter])!.t
}

/** Where two matches part; undefined where one of them was not read to its end. */
export const differenceOf = (one: Read, other: Read): number | null | undefined =>
  one.timeline && one.complete && other.timeline && other.complete ? firstDifference(one.timeline.frames, other.timeline.frames) : undefined

const content = (frame: Frame): string => JSON.stringify({ ...frame, cpu: undefined })

/** The address of a comparison. */
export const compareAddress = (old: number, fresh: number): string => `/compare?old=${old}&new=${fresh}`

/** The matches that an address names; null where it does not name two. */
export function comparedMatches(params: URLSearchParams): [old: number, fresh: number] | null {
  const [old, fresh] = [params.get('old') ?? '', params.get('new') ?? '']
  return [old, fresh].every((text) => /^[1-9]\d{0,14}$/.test(text)) ? [Number(old), Number(fresh)] : null
}
