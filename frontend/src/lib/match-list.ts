/*
 * The list that a match was opened from, so that its page can go to the next and the previous one. Links with
 * `data-match` in one list (`ol`, `ul`, `table`) belong together; the tab remembers the last such list.
 */
const KEY = 'hexarena.matches'

/** Remembers the list of a link that is being followed. */
export function rememberList(link: HTMLElement): void {
  const list = link.dataset.match === undefined ? null : link.closest('table, ol, ul')
  if (!list) return
  const ids = [...list.querySelectorAll<HTMLElement>('[data-match]')].map((one) => Number(one.dataset.match))
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...new Set(ids)]))
  } catch {
    // Then there is no next one.
  }
}

/** The matches beside this one in that list; null at its ends, or where it is not in the list. */
export function neighbours(match: number): { next: number | null; previous: number | null } {
  return neighboursIn(remembered(), match)
}

export function neighboursIn(ids: number[], match: number): { next: number | null; previous: number | null } {
  const at = ids.indexOf(match)
  return at < 0 ? { next: null, previous: null } : { next: ids[at + 1] ?? null, previous: ids[at - 1] ?? null }
}

function remembered(): number[] {
  try {
    const ids: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    return Array.isArray(ids) ? ids.filter((id): id is number => Number.isSafeInteger(id)) : []
  } catch {
    return []
  }
}
