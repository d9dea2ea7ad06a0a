import { expect, test } from 'vitest'
import { Opened } from '../src/lib/opened.svelte'

interface One {
  id: number
  text: string
}

/** One whose reads are answered by hand, in their order. */
function slow(): { opened: Opened<One>; answers: ((text: string | Error) => void)[] } {
  const answers: ((text: string | Error) => void)[] = []
  const read = (id: number): Promise<One> =>
    new Promise((resolve, reject) => answers.push((text) => (text instanceof Error ? reject(text) : resolve({ id, text }))))
  return { opened: new Opened<One>(read, () => []), answers }
}

test('one that could not be read is opened by the next click', async () => {
  const { opened, answers } = slow()
  const first = opened.toggle(1)
  answers[0]!(new Error('no network'))
  await first
  expect([opened.value, opened.refused]).toEqual([null, 'no network'])
  const again = opened.toggle(1)
  expect(opened.refused).toBe('')
  answers[1]!('here')
  await again
  expect(opened.value?.text).toBe('here')
})

test('the failure of one that was closed meanwhile is not shown beside another', async () => {
  const { opened, answers } = slow()
  const loads = [opened.toggle(1), opened.toggle(2)]
  answers[1]!('two')
  answers[0]!(new Error('no network'))
  await Promise.all(loads)
  expect([opened.value?.text, opened.refused]).toEqual(['two', ''])
})

test('a change that arrives late does not replace another one that is open', async () => {
  const { opened, answers } = slow()
  const load = opened.toggle(2)
  answers[0]!('two')
  await load
  await opened.change(Promise.resolve({ id: 1, text: 'changed' }))
  expect(opened.value?.text).toBe('two')
  await opened.change(Promise.resolve({ id: 2, text: 'changed' }))
  expect(opened.value?.text).toBe('changed')
})
