import { expect, test } from 'vitest'
import { LOADING, Pages } from '../src/lib/pages.svelte'

const SIZE = 2
/** A list of numbers, whose cursor is the last one of a page, and who waits for an answer. */
function listOf(items: number[]) {
  const asked: (string | undefined)[] = []
  let gate: Promise<void> | undefined
  const ask = async (after?: string) => {
    asked.push(after)
    await gate
    const at = after === undefined ? 0 : items.indexOf(Number(after)) + 1
    const page = items.slice(at, at + SIZE)
    return { items: page, next: at + SIZE < items.length ? String(page.at(-1)) : null }
  }
  return { ask, asked, items, hold: (until?: Promise<void>) => (gate = until) }
}

test('more pages follow the first one, to the last', async () => {
  const list = listOf([5, 4, 3, 2, 1])
  const pages = new Pages(list.ask)
  await pages.load()
  expect(pages.page.value).toEqual({ items: [5, 4], next: '4' })
  await pages.loadMore()
  await pages.loadMore()
  expect(pages.page.value).toEqual({ items: [5, 4, 3, 2, 1], next: null })
  await pages.loadMore()
  expect(list.asked).toEqual([undefined, '4', '2'])
})

test('what is read again goes as far as before', async () => {
  const list = listOf([5, 4, 3, 2, 1])
  const pages = new Pages(list.ask)
  await pages.load()
  await pages.loadMore()
  list.items.unshift(7, 6)
  await pages.reload()
  expect(pages.page.value).toEqual({ items: [7, 6, 5, 4], next: '4' })
  await pages.load()
  expect(pages.page.value).toEqual({ items: [7, 6], next: '6' })
})

test('a page that is asked for twice comes once', async () => {
  let open = (): void => {}
  const list = listOf([3, 2, 1])
  const pages = new Pages(list.ask)
  await pages.load()
  list.hold(new Promise((resolve) => (open = resolve)))
  const more = pages.loadMore()
  expect(pages.more).toBe(LOADING)
  await pages.loadMore()
  open()
  await more
  expect(pages.page.value?.items).toEqual([3, 2, 1])
  expect(pages.more).toBe('')
})

test('a page that fails can be asked for again', async () => {
  let fails = true
  const list = listOf([3, 2, 1])
  const pages = new Pages(async (after?: string) => {
    if (after && fails) throw new Error('gone')
    return list.ask(after)
  })
  await pages.load()
  await pages.loadMore()
  expect(pages.more).toContain('Try again')
  fails = false
  await pages.loadMore()
  expect(pages.page.value?.items).toEqual([3, 2, 1])
})
