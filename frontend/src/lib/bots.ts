/* What follows from a bot's fields. */
import type { Bot } from './types'

/** Its owner has deleted it: name and code are gone. No bot can be given such a name. */
export const isDeleted = (bot: Pick<Bot, 'id' | 'name'>): boolean => bot.name === `deleted #${bot.id}`
