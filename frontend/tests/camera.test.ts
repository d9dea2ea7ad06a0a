import { expect, test } from 'vitest'
import { dragged, fit, toStage, toWorld, visible, zoomed } from '../src/viewer/camera'

const BOARD = { x: -100, y: -50, w: 200, h: 100 }
const STAGE = { w: 400, h: 400 }

test('the whole board is seen, its middle in the middle', () => {
  const camera = fit(BOARD, STAGE)
  expect(camera).toMatchObject({ x: 0, y: 0 })
  const box = visible(camera, STAGE)
  expect(box.x).toBeLessThanOrEqual(BOARD.x)
  expect(box.w).toBeGreaterThanOrEqual(BOARD.w)
})

test('the world and the stage are each other’s inverse', () => {
  const camera = { x: 3, y: -7, zoom: 2.5 }
  expect(toWorld(camera, STAGE, ...toStage(camera, STAGE, 11, 13))).toEqual([11, 13])
})

test('zooming keeps the point under the pointer', () => {
  const camera = fit(BOARD, STAGE)
  const before = toWorld(camera, STAGE, 90, 120)
  const after = toWorld(zoomed(camera, BOARD, STAGE, 2, 90, 120)!, STAGE, 90, 120)
  expect(after[0]).toBeCloseTo(before[0])
  expect(after[1]).toBeCloseTo(before[1])
})

test('zooming out far shows the whole board again', () => {
  const near = zoomed(fit(BOARD, STAGE), BOARD, STAGE, 2, 0, 0)!
  expect(zoomed(near, BOARD, STAGE, 0.1, 0, 0)).toBeNull()
})

test('a drag moves the board with the pointer', () => {
  expect(dragged({ x: 0, y: 0, zoom: 2 }, 10, -4)).toEqual({ x: -5, y: 2, zoom: 2 })
})
