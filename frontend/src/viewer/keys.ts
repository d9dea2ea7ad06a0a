/* The viewer's keys: one list for what they do and for the help that names them. */

export interface Key {
  /** Values of KeyboardEvent.key, letters in lower case; arrows may have "Shift+" before them. */
  keys: string[]
  what: string
  act: () => void
}

const NAMES: Record<string, string> = {
  ' ': 'Space',
  ArrowRight: '→',
  ArrowLeft: '←',
  ArrowUp: '↑',
  ArrowDown: '↓',
  'Shift+ArrowRight': 'Shift →',
  'Shift+ArrowLeft': 'Shift ←',
}
const TYPING = 'input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]'
const PRESSABLE = 'button, a, summary, [type=checkbox]'

export const keyName = (key: string): string => NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)

/** The shortcut of an event, or undefined: typing into a field and pressing a control are not shortcuts. */
export function keyFor(event: KeyboardEvent, keys: Key[]): Key | undefined {
  const target = event.target as HTMLElement
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest(TYPING)) return undefined
  if ((event.key === ' ' || event.key === 'Enter') && target.closest(PRESSABLE)) return undefined
  const shift = event.shiftKey && event.key.startsWith('Arrow') ? 'Shift+' : ''
  const name = shift + (event.key.length === 1 ? event.key.toLowerCase() : event.key)
  return keys.find((key) => key.keys.includes(name))
}
