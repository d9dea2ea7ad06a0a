import { expect, test } from 'vitest'
import { between, closestZoom, closeUp, dragged, fit, isNearly, tipRoom, toStage, toWorld, visible, zoomed } from '../src/viewer/camera'

const BOARD = { x: -100, y: -50, w: 200, h: 100 }
const STAGE = { w: 400, h: 400 }

test('the whole board is seen, its middle in the middle', () => {
  const camera = fit(BOARD, STAGE)
  expect(camera).toMatchObject({ x: 0, y: 0 })
  const box = visible(camera, STAGE)
  expect(box.x).toBeLessThanOrEqual(BOARD.x)
  expect(box.w).toBeGreaterThanOrEqual(BOARD.w)
  expect(box.w).toBeLessThan(BOARD.w * 1.05)
})

test('a board away from the origin is in the middle, too', () => {
  expect(fit({ x: 10, y: 20, w: 4, h: 6 }, STAGE)).toMatchObject({ x: 12, y: 23 })
})

test('what is visible has the shape of the stage, around the camera', () => {
  expect(visible({ x: 10, y: 20, zoom: 2 }, { w: 400, h: 100 })).toEqual({ x: -90, y: -5, w: 200, h: 50 })
})

test('the middle of a stage that is no square is the camera', () => {
  const camera = { x: 3, y: -7, zoom: 2 }
  expect(toWorld(camera, { w: 300, h: 100 }, 150, 50)).toEqual([3, -7])
  expect(toWorld(camera, { w: 300, h: 100 }, 0, 0)).toEqual([-72, -32])
  expect(toStage(camera, { w: 300, h: 100 }, -72, -32)).toEqual([0, 0])
})

test('zooming in from further than the whole board is no way back to it', () => {
  const far = { ...fit(BOARD, STAGE), zoom: 0.1 }
  expect(zoomed(far, BOARD, STAGE, 2, 0, 0)).toMatchObject({ zoom: 0.2 })
})

test('the closest view of a wide stage is measured along its shorter side', () => {
  expect(closestZoom(BOARD, { w: 4000, h: 100 }, 2)).toBe(50)
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

test('the way between cameras keeps the point that both keep', () => {
  const from = fit(BOARD, STAGE)
  const to = zoomed(from, BOARD, STAGE, 3, 90, 120)!
  const point = toWorld(from, STAGE, 90, 120)
  for (const k of [0, 0.25, 0.5, 1]) {
    const [x, y] = toWorld(between(from, to, k), STAGE, 90, 120)
    expect(x).toBeCloseTo(point[0])
    expect(y).toBeCloseTo(point[1])
  }
  expect(between(from, to, 0.5).zoom).toBeCloseTo(from.zoom * Math.sqrt(3))
  expect(between(from, { ...from, x: 8 }, 0.5).x).toBe(4)
})

test('a drag moves the board with the pointer', () => {
  expect(dragged({ x: 0, y: 0, zoom: 2 }, 10, -4)).toEqual({ x: -5, y: 2, zoom: 2 })
})

test('the closest view is six times the whole board, or what the game asks for', () => {
  const whole = fit(BOARD, STAGE)
  const zoom = (closest?: number): number => zoomed(whole, BOARD, STAGE, 1000, 0, 0, closest)!.zoom
  expect(zoom()).toBeCloseTo(whole.zoom * 6)
  expect(zoom(10)).toBeCloseTo(40)
  expect(zoom(100)).toBeCloseTo(whole.zoom * 6)
})

test('a close-up shows a part of the board, no closer than the game allows', () => {
  const part = { x: 10, y: 10, w: 40, h: 20 }
  const camera = closeUp(part, BOARD, STAGE, 10)
  expect(camera).toMatchObject({ x: 30, y: 20, zoom: fit(part, STAGE).zoom })
  expect(closeUp({ ...part, w: 1, h: 1 }, BOARD, STAGE, 10).zoom).toBe(40)
})

test('a board as high as the stage makes room at the top; a lower one stays in the middle', () => {
  const high = { x: 0, y: 0, w: 10, h: 100 }
  const camera = fit(high, STAGE, 52)
  expect(toStage(camera, STAGE, 0, 0)[1]).toBeGreaterThanOrEqual(52)
  expect(toStage(camera, STAGE, 0, 100)[1]).toBeLessThanOrEqual(STAGE.h)
  expect(fit(BOARD, STAGE, 52)).toEqual(fit(BOARD, STAGE))
})

test('views are nearly the same if they are near, and about as close', () => {
  const camera = { x: 5, y: 5, zoom: 2 }
  expect(isNearly({ ...camera, x: 15 }, camera, STAGE, 0.1)).toBe(true)
  expect(isNearly({ ...camera, x: 30 }, camera, STAGE, 0.1)).toBe(false)
  expect(isNearly({ ...camera, zoom: 2.2 }, camera, STAGE, 0.1)).toBe(true)
  expect(isNearly({ ...camera, zoom: 3 }, camera, STAGE, 0.1)).toBe(false)
})

test('the whole board ends above what is written at the foot of the stage', () => {
  const tall = { x: 0, y: 0, w: 100, h: 100 }
  const narrow = { w: 400, h: 420 }
  const bottom = (top: number, foot: number): number => toStage(fit(tall, narrow, top, foot), narrow, 0, 100)[1]
  expect(bottom(0, 40)).toBeLessThanOrEqual(380)
  expect(bottom(46, 40)).toBeLessThanOrEqual(380)
  expect(toStage(fit(tall, narrow, 46, 40), narrow, 0, 0)[1]).toBeGreaterThanOrEqual(46)
  // Where there is room anyway, nothing moves.
  expect(fit(BOARD, STAGE, 0, 40)).toEqual(fit(BOARD, STAGE))
})

test('a tooltip is on the side with more room, and no wider than that', () => {
  expect(tipRoom(100, 400)).toEqual({ flip: false, room: 270 })
  expect(tipRoom(250, 400)).toEqual({ flip: true, room: 220 })
  expect(tipRoom(20, 40).room).toBe(0)
})
