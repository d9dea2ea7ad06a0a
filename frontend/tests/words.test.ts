/* What components say, as the server would render them. */
import { render } from 'svelte/server'
import { expect, test } from 'vitest'
import { Resource } from '../src/lib/resource.svelte'
import type { ClassMark, EventDetail } from '../src/lib/types'
import MarkTable from '../src/components/classes/MarkTable.svelte'
import Entrants from '../src/components/events/Entrants.svelte'
import NoMatches from '../src/components/NoMatches.svelte'
import Console from '../src/viewer/Console.svelte'

const textOf = (html: string): string => html.replace(/<!--.*?-->|<[^>]*>/gs, '').replace(/\s+/g, ' ')

test('one game is no "1 games"', () => {
  const mark = (games: number, extra_games = 0): string =>
    textOf(render(MarkTable, { props: { named: false, marks: [{ owner_id: 1, bot_id: 2, bot: 'ada', version: 3, rating: 1000, deviation: 50, games, extra_games, rungs: [] } as unknown as ClassMark] } }).body)
  expect(mark(1)).toContain('1000 ± 50 after 1 game.')
  expect(mark(2)).toContain('after 2 games.')
  expect(mark(1, 4)).toContain('after 1 + 4 games.')
})

test('the controls of each entrant say whom they are about', () => {
  const entry = (id: number, bot: string): unknown => ({ id, bot_id: id, bot, owner: 'them', version: 1, language: 'python', state: 'entered', rating: null, high: null, prize_place: null })
  const event = { id: 7, phase: 'open', organised: true, hidden: false, prizes: 0, entries: [entry(1, 'ada'), entry(2, 'bob')] } as unknown as EventDetail
  const { body } = render(Entrants, { props: { event, onchanged: () => {} } })
  expect(textOf(body)).toContain('Disqualify… Disqualify ada')
  expect(textOf(body)).toContain('Disqualify… Disqualify bob')
})

test('what became of copying a turn’s input is said to everybody', () => {
  const { body } = render(Console, { props: { bot: 'ada', seat: 0, turn: 1, log: [], faults: [], onturn: () => {} } })
  expect(body).toMatch(/<span class="(?![^"]*\bsr\b)[^"]*" role="status">/)
})

test('a list of matches that is empty says why', async () => {
  const of = (call: () => Promise<unknown>): Resource<unknown> => new Resource(call)
  const words = (resource: Resource<unknown>): string => textOf(render(NoMatches, { props: { of: resource } }).body)
  const failed = of(() => Promise.reject(new Error('The arena is away.')))
  expect(words(failed)).toBe('Loading matches…')
  await failed.load()
  expect(words(failed)).toBe('The arena is away. Try again')
  const empty = of(() => Promise.resolve({ items: [] }))
  await empty.load()
  expect(words(empty)).toBe('No matches yet.')
})
