/* What this browser keeps for a user. Storage may be full or forbidden: a value then lasts as long as the page. */

/** What could not be stored; null: what could not be forgotten. */
const unstored = new Map<string, string | null>()

export function readKept(name: string): string | null {
  // An older value may still be in the storage.
  const here = unstored.get(name)
  if (here !== undefined) return here
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Null forgets it. False: the value lasts only as long as the page. */
export function keep(name: string, value: string | null): boolean {
  try {
    if (value === null) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
    unstored.delete(name)
    return true
  } catch {
    unstored.set(name, value)
    return false
  }
}

/** Whether it is there for the next page, too. */
export const isStored = (name: string): boolean => !unstored.has(name)

/** The names of all that is kept. */
export function keptNames(): string[] {
  const here = [...unstored].filter(([, value]) => value !== null).map(([name]) => name)
  try {
    return [...new Set([...Object.keys(localStorage), ...here])]
  } catch {
    return here
  }
}
