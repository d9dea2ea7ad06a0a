import { describe, expect, it } from 'vitest'
import { VIDEO } from '../src/viewer/clip'
import { GIF_TIMING } from '../src/viewer/gif'
import { positions } from '../src/viewer/motion'
import { chase, shortened } from '../src/viewer/picture'

describe.each([
  ['clip', VIDEO],
  ['GIF', GIF_TIMING],
])('the frames of a %s', (_, timing) => {
  const { fps, mostS } = timing

  it('go on at the speed of the game and hold the end', () => {
    const frames = positions(10, 16, 2, timing)
    expect(frames[0]).toBe(10)
    expect(frames[fps]).toBeCloseTo(12)
    expect(frames.at(-1)).toBe(16)
    expect(frames.filter((pos) => pos === 16).length).toBeGreaterThanOrEqual(fps)
    expect(frames).toEqual([...frames].sort((a, b) => a - b))
  })

  it('are at most as many as it is long', () => {
    const frames = positions(0, 10_000, 8, timing)
    expect(frames).toHaveLength(mostS * fps)
    expect(frames.at(-1)).toBeLessThan(8 * mostS)
  })

  it('show the last turn, when there is nothing after it', () => {
    expect(new Set(positions(16, 16, 2, timing))).toEqual(new Set([16]))
  })
})

describe('a picture', () => {
  const context = { measureText: (text: string) => ({ width: 10 * text.length }) as TextMetrics }

  it('cuts names that are too long, and only these', () => {
    expect(shortened(context, 'Keystone', 80)).toBe('Keystone')
    expect(shortened(context, 'Keystone', 70)).toBe('Keysto…')
    expect(shortened(context, 'Keystone', 0)).toBe('…')
  })

  it('moves its camera towards the focus, however it is split into steps', () => {
    const [from, to] = [{ x: 0, y: 0, zoom: 1 }, { x: 100, y: 50, zoom: 1 }]
    const once = chase(from, to, 0.4)
    const twice = chase(chase(from, to, 0.2), to, 0.2)
    expect(twice.x).toBeCloseTo(once.x)
    expect(once.x).toBeGreaterThan(0)
    expect(once.x).toBeLessThan(100)
  })
})
