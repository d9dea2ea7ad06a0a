/* What games write at the foot of the stage is below the whole board, whatever the screen. */
import { expect, test } from 'vitest'
import { fit, toStage } from '../src/viewer/camera'
import type { GameViewer } from '../src/viewer/game'
import type { Header } from '../src/viewer/lines'
import yavalath from '../../games/yavalath/viewer'
import tron from '../../games/tron/viewer'

const players = [{ bot: 'ada' }, { bot: 'bob' }]

/** The upper edge of the highest frame that the game's `hud` draws. */
function highest(hud: (canvas: CanvasRenderingContext2D) => void): number {
  let top = Infinity
  const canvas = new Proxy({} as Record<string, unknown>, {
    get: (_, name) => (name === 'measureText' ? () => ({ width: 120 }) : (_x: number, y: number) => (top = name === 'roundRect' ? Math.min(top, y) : top)),
    set: () => true,
  })
  hud(canvas as unknown as CanvasRenderingContext2D)
  return top
}

const THEME = { players: ['#000', '#fff'] }
type Any = GameViewer<never, never, never>
const bad = { t: 1, p: 0, bad: 'late' }
const crash = { t: 1, m: 'UU', x: [{ p: 0, by: 'wall' }] }

test.each([
  ['yavalath', yavalath as unknown as Any, {}, bad],
  ['tron', tron as unknown as Any, { w: 30, h: 20, start: [[2, 2], [20, 10]] }, crash],
])('%s', (name, game, init, frame) => {
  const header = { v: 1, game: name, init, players } as unknown as Header<never>
  const state = game.step(game.start(header), frame as never, header)
  for (const [w, h] of [[390, 340], [390, 420], [844, 200], [1280, 520]] as const) {
    const view = { a: state, header, width: w, height: h, theme: THEME } as never
    const top = highest((canvas) => game.hud!(canvas, view))
    const board = game.bounds(header)
    const bottom = toStage(fit(board, { w, h }, 46, game.foot!({ width: w, height: h }, header)), { w, h }, 0, board.y + board.h)[1]
    expect(top).toBeLessThan(h)
    expect(bottom).toBeLessThanOrEqual(top)
  }
})
