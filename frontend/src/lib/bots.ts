/* What follows from a bot's fields. */
import type { Bot, Submission } from './types'

/** Its owner has deleted it: name and code are gone. No bot can be given such a name. */
export const isDeleted = (bot: Pick<Bot, 'id' | 'name'>): boolean => bot.name === `deleted #${bot.id}`

/** The bot that a new version of this name belongs to; upper and lower case are the same. */
export const botCalled = (bots: Bot[], name: string): Bot | undefined =>
  bots.find((bot) => bot.name.toLowerCase() === name.trim().toLowerCase())

/** The versions, each once: of two that are alike, the first one counts. */
export function newestFirst(versions: Submission[]): Submission[] {
  const found = new Map(versions.toReversed().map((one) => [one.id, one]))
  return [...found.values()].toSorted((one, other) => other.id - one.id)
}

/** More is to come for a version that was submitted just now: the end of its check, or its first place on the board. */
export const isOnItsWay = (state: Submission['state'], placed: boolean): boolean =>
  state === 'queued' || state === 'building' || state === 'checking' || (state === 'live' && !placed)
