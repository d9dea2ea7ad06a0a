/* The viewer's keyboard shortcuts: one list for what the keys do and for the dialog that explains them. */
import type { Key } from './keys'

/** What the control bar and the keys can do. */
export interface ViewerActions {
  toggle: () => void
  /** Turns on, or back. */
  step: (turns: number) => void
  goTo: (turn: number) => void
  goToEnd: () => void
  /** To the next event, or the previous one. */
  goToEvent: (direction: 1 | -1) => void
  /** To the next speed, up or down. */
  changeSpeed: (steps: number) => void
  setSpeed: (speed: number) => void
  zoom: (factor: number) => void
  zoomToSpot: () => void
  fitBoard: () => void
  /** None where the page has no address that others could open. */
  copyLink?: () => void
  togglePanel: () => void
  toggleTheme: () => void
  toggleFullScreen: () => void
  showHelp: () => void
}

export const ZOOM_STEP = 1.5

const nothing = (): void => {}
/** For the help, while a person plays: `Asking` takes these before any shortcut. */
export const PLAYING: Key[] = [
  { keys: ['ArrowLeft', 'ArrowUp', 'ArrowDown', 'ArrowRight'], what: 'Your turn: move over the board', act: nothing },
  { keys: ['Enter'], what: 'Your turn: choose', act: nothing },
  { keys: ['Backspace'], what: 'Your turn: take back', act: nothing },
  { keys: ['Escape'], what: 'Your turn: choose anew', act: nothing },
]

export function shortcuts(actions: ViewerActions): Key[] {
  return [
    { keys: [' ', 'k'], what: 'Play or pause', act: actions.toggle },
    { keys: ['ArrowRight', 'l', '.'], what: 'Next turn', act: () => actions.step(1) },
    { keys: ['ArrowLeft', 'j', ','], what: 'Previous turn', act: () => actions.step(-1) },
    { keys: ['Shift+ArrowRight'], what: 'Forward 10 turns', act: () => actions.step(10) },
    { keys: ['Shift+ArrowLeft'], what: 'Back 10 turns', act: () => actions.step(-10) },
    { keys: ['Home'], what: 'First turn', act: () => actions.goTo(0) },
    { keys: ['End'], what: 'Last turn', act: actions.goToEnd },
    { keys: ['n', 'e'], what: 'Next event', act: () => actions.goToEvent(1) },
    { keys: ['p', 'q'], what: 'Previous event', act: () => actions.goToEvent(-1) },
    { keys: ['ArrowUp', ']'], what: 'Faster', act: () => actions.changeSpeed(1) },
    { keys: ['ArrowDown', '['], what: 'Slower', act: () => actions.changeSpeed(-1) },
    { keys: ['+', '='], what: 'Zoom in', act: () => actions.zoom(ZOOM_STEP) },
    { keys: ['-'], what: 'Zoom out', act: () => actions.zoom(1 / ZOOM_STEP) },
    { keys: ['c'], what: 'Zoom to the next point of interest', act: actions.zoomToSpot },
    { keys: ['f'], what: 'Fit board', act: actions.fitBoard },
    ...(actions.copyLink ? [{ keys: ['s'], what: 'Copy a link to this turn', act: actions.copyLink }] : []),
    { keys: ['i'], what: 'Turn details', act: actions.togglePanel },
    { keys: ['t'], what: 'Switch theme', act: actions.toggleTheme },
    { keys: ['?'], what: 'Keyboard shortcuts', act: actions.showHelp },
  ]
}
