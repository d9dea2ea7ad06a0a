import { expect, test, vi } from 'vitest'
import { Form } from '../src/lib/form.svelte'

interface Input {
  name: string
  type: string
  bad?: boolean
}

/** Submits a form of these inputs. */
function submitted(...inputs: Input[]): { event: SubmitEvent; focused: string[] } {
  const focused: string[] = []
  const found = inputs.map(({ name, type, bad = false }) => ({ name, type, validity: { badInput: bad }, focus: () => focused.push(name) }))
  const form = { querySelectorAll: () => found, querySelector: () => null }
  return { event: { preventDefault: () => {}, currentTarget: form } as unknown as SubmitEvent, focused }
}

test('a field that is half filled is not taken for an empty one', async () => {
  const form = new Form('message', 'until')
  const call = vi.fn(async () => 'sent')
  const { event, focused } = submitted({ name: 'message', type: 'text' }, { name: 'until', type: 'datetime-local', bad: true })
  expect(await form.send(event, {}, call)).toBeUndefined()
  expect(form.problems).toEqual({ until: 'Enter a date and a time.' })
  expect(focused).toEqual(['until'])
  const other = submitted({ name: 'rounds', type: 'number', bad: true })
  await form.send(other.event, { message: ['', 'Enter the announcement.'] }, call)
  expect(form.problems).toEqual({ message: 'Enter the announcement.', '': 'Enter a number.' })
  expect(call).not.toHaveBeenCalled()
})

test('a whole form is sent', async () => {
  const form = new Form('until')
  expect(await form.send(submitted({ name: 'until', type: 'datetime-local' }).event, {}, async () => 'sent')).toBe('sent')
  expect(form.problems).toEqual({})
})
