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
const SCROLLABLE = '[tabindex="0"]:not([role=separator])'
const DOWN_OR_UP = [' ', 'ArrowUp', 'ArrowDown', 'Home', 'End']
const ACROSS = ['ArrowLeft', 'ArrowRight']

export const keyName = (key: string): string => NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)

/** Whether a key scrolls what has the focus. At its end, too: whoever reads on must not suddenly control the match. */
function scrolls(key: string, target: HTMLElement): boolean {
  for (let area = target.closest<HTMLElement>(SCROLLABLE); area; area = area.parentElement?.closest<HTMLElement>(SCROLLABLE) ?? null) {
    if (DOWN_OR_UP.includes(key) && area.scrollHeight > area.clientHeight) return true
    if (ACROSS.includes(key) && area.scrollWidth > area.clientWidth) return true
  }
  return false
}

/** The shortcut of an event, or undefined: typing into a field, pressing a control and scrolling are not shortcuts. */
export function keyFor(event: KeyboardEvent, keys: Key[]): Key | undefined {
  const target = event.target as HTMLElement
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest(TYPING)) return undefined
  if ((event.key === ' ' || event.key === 'Enter') && target.closest(PRESSABLE)) return undefined
  if (scrolls(event.key, target)) return undefined
  const shift = event.shiftKey && event.key.startsWith('Arrow') ? 'Shift+' : ''
  const name = shift + (event.key.length === 1 ? event.key.toLowerCase() : event.key)
  return keys.find((key) => key.keys.includes(name))
}
