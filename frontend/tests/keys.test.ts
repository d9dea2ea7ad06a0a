import { expect, test } from 'vitest'
import { keyFor, type Key } from '../src/viewer/keys'

const nothing = (): void => {}
const KEYS: Key[] = [' ', 'k', 'ArrowDown', 'ArrowLeft', 'Shift+ArrowLeft', 'End'].map((key) => ({ keys: [key], what: key, act: nothing }))

/** Elements from the inside out, each with the sizes of what it holds, and of itself. */
interface Box {
  width: [number, number]
  height: [number, number]
}

function focusIn(...boxes: Box[]): object | null {
  const [box, ...outer] = boxes
  if (!box) return null
  const area = {
    scrollWidth: box.width[0],
    clientWidth: box.width[1],
    scrollHeight: box.height[0],
    clientHeight: box.height[1],
    parentElement: focusIn(...outer),
    closest: (selector: string) => (selector.includes('tabindex') ? area : null),
  }
  return area
}
function found(key: string, target: object, shiftKey = false): string | undefined {
  return keyFor({ key, shiftKey, target } as unknown as KeyboardEvent, KEYS)?.what
}

test('a key that scrolls what has the focus is no shortcut', () => {
  const nowhere = { closest: () => null }
  const fits: Box = { width: [100, 100], height: [50, 50] }
  const tall: Box = { width: [100, 100], height: [300, 50] }
  const wide: Box = { width: [300, 100], height: [50, 50] }
  for (const target of [nowhere, focusIn(fits)!]) {
    for (const key of [' ', 'k', 'ArrowDown', 'ArrowLeft', 'End']) expect(found(key, target)).toBe(key)
    expect(found('ArrowLeft', target, true)).toBe('Shift+ArrowLeft')
  }
  const ofTall = [' ', 'k', 'ArrowDown', 'ArrowLeft', 'End'].map((key) => found(key, focusIn(tall)!))
  expect(ofTall).toEqual([undefined, 'k', undefined, 'ArrowLeft', undefined])
  const ofWide = [' ', 'ArrowDown', 'ArrowLeft'].map((key) => found(key, focusIn(wide)!))
  expect(ofWide).toEqual([' ', 'ArrowDown', undefined])
  // A wide picture in long rules: the rules scroll down.
  expect(found('ArrowDown', focusIn(wide, tall)!)).toBeUndefined()
})
