import { expect, test } from 'vitest'
import { Resource } from '../src/lib/resource.svelte'

/** A resource whose loads are answered by hand. */
function slow(): { resource: Resource<string>; answers: ((value: string | Error) => void)[] } {
  const answers: ((value: string | Error) => void)[] = []
  const resource = new Resource<string>(
    () => new Promise((resolve, reject) => answers.push((value) => (value instanceof Error ? reject(value) : resolve(value)))),
  )
  return { resource, answers }
}

test('the latest load wins, whatever comes last', async () => {
  const { resource, answers } = slow()
  const loads = [resource.load(), resource.load()]
  answers[1]!('second')
  answers[0]!('first')
  expect(await Promise.all(loads)).toEqual([undefined, 'second'])
  expect(resource.value).toBe('second')
})

test('what changes during a load is newer than its answer', async () => {
  const { resource, answers } = slow()
  const first = resource.load()
  resource.amend((value) => `${value}, changed`)
  expect(resource.value).toBeUndefined()
  answers[0]!('old')
  expect(await first).toBe('old, changed')
  resource.amend((value) => `${value} again`)
  expect(resource.value).toBe('old, changed again')
  const second = resource.load()
  answers[1]!('new')
  await second
  expect(resource.value).toBe('new')
})

test('a load that fails keeps the value and its changes', async () => {
  const { resource, answers } = slow()
  const first = resource.load()
  answers[0]!('old')
  await first
  const second = resource.load()
  resource.amend(() => 'changed')
  answers[1]!(new Error('The network is away.'))
  await second
  expect([resource.value, resource.problem]).toEqual(['changed', 'The network is away.'])
})
