import { describe, expect, test } from 'vitest'
import { Playback } from '../src/viewer/playback'

function playbackOf(turns: number, { rate = 2, calm = false } = {}): Playback {
  const playback = new Playback(rate, calm)
  playback.extend(turns, false)
  return playback
}
/** Lets time pass as a browser does, in frames. */
function wait(playback: Playback, seconds: number): void {
  for (let passed = 0; passed < seconds - 1e-9; passed += 0.05) playback.advance(0.05)
}

describe('playing', () => {
  test('moves by the rate, and by the speed', () => {
    const playback = playbackOf(100)
    playback.play()
    wait(playback, 1)
    expect(playback.moment.pos).toBeCloseTo(2)
    playback.setSpeed(4)
    wait(playback, 1)
    expect(playback.moment.pos).toBeCloseTo(10)
  })

  test('stops at the end, and starts over from there', () => {
    const playback = playbackOf(2)
    playback.play()
    wait(playback, 2)
    expect(playback.moment).toMatchObject({ pos: 2, turn: 2, playing: false })
    playback.play()
    expect(playback.moment).toMatchObject({ pos: 0, playing: true })
  })

  test('waits at the end for more turns while the match is live', () => {
    const playback = playbackOf(0)
    playback.extend(1, true)
    playback.play()
    wait(playback, 2)
    expect(playback.moment).toMatchObject({ turn: 1, playing: true })
    expect(playback.moving).toBe(false)
    playback.extend(2, true)
    expect(playback.moving).toBe(true)
  })

  test('a long pause between frames does not skip turns', () => {
    const playback = playbackOf(100)
    playback.play()
    playback.advance(60)
    expect(playback.moment.pos).toBeLessThan(1)
  })

  test('pausing rests on a turn', () => {
    const playback = playbackOf(10)
    playback.play()
    wait(playback, 0.35)
    playback.pause()
    expect(playback.moment).toMatchObject({ pos: 1, playing: false })
  })
})

describe('following a live match', () => {
  test('hurries when it is far behind, but not once the match is over', () => {
    const hurried = playbackOf(0)
    hurried.extend(100, true)
    hurried.follow()
    hurried.seek(0)
    hurried.follow()
    expect(hurried.moment.pos).toBe(99)

    const behind = new Playback(2)
    behind.extend(0, true)
    behind.follow()
    behind.extend(50, true)
    behind.advance(0.1)
    const fast = behind.moment.pos
    behind.extend(50, false)
    behind.advance(0.1)
    expect(fast).toBeGreaterThan(2)
    expect(behind.moment.pos - fast).toBeCloseTo(0.2)
  })

  test('seeking lets go', () => {
    const playback = playbackOf(0)
    playback.extend(10, true)
    playback.follow()
    playback.seek(3)
    expect(playback.moment).toMatchObject({ pos: 3, following: false })
  })
})

describe('stepping', () => {
  test('glides to the next turn', () => {
    const playback = playbackOf(10)
    playback.step(1)
    playback.advance(0.1)
    expect(playback.moment.pos).toBeCloseTo(0.5)
    wait(playback, 0.2)
    expect(playback.moment).toMatchObject({ pos: 1, turn: 1 })
    expect(playback.moving).toBe(false)
  })

  test('several steps in one glide add up', () => {
    const playback = playbackOf(10)
    playback.step(1)
    playback.advance(0.05)
    playback.step(1)
    wait(playback, 1)
    expect(playback.moment.pos).toBe(2)
  })

  test('jumps when less motion is wanted, and when the way is long', () => {
    const calm = playbackOf(10, { calm: true })
    calm.step(1)
    expect(calm.moment.pos).toBe(1)
    const far = playbackOf(30)
    far.step(10)
    expect(far.moment.pos).toBe(10)
  })

  test('stays within the match', () => {
    const playback = playbackOf(3)
    playback.step(-1)
    wait(playback, 1)
    expect(playback.moment.pos).toBe(0)
    playback.seek(99)
    expect(playback.moment.pos).toBe(3)
  })
})

describe('one thing ends another', () => {
  test('playing and seeking end a glide', () => {
    const played = playbackOf(10)
    played.step(1)
    played.play()
    wait(played, 1)
    expect(played.moment.pos).toBeCloseTo(2)
    const sought = playbackOf(10)
    sought.step(1)
    sought.seek(5)
    expect(sought.moving).toBe(false)
    sought.advance(0.1)
    expect(sought.moment.pos).toBe(5)
  })

  test('a step ends playing and following', () => {
    const playback = playbackOf(0)
    playback.extend(10, true)
    playback.follow()
    playback.step(-1)
    expect(playback.moment).toMatchObject({ playing: false, following: false })
  })

  test('pausing ends following, and a glide where it is', () => {
    const playback = playbackOf(0)
    playback.extend(10, true)
    playback.follow()
    playback.pause()
    expect(playback.moment).toMatchObject({ playing: false, following: false })
    playback.step(-1)
    playback.advance(0.04)
    playback.pause()
    expect(playback.moving).toBe(false)
    expect(playback.moment.pos).toBe(9)
  })

  test('the end of the match ends following, for one who has seen all of it', () => {
    const seen = new Playback(2)
    seen.extend(10, true)
    seen.follow()
    seen.advance(0.1)
    seen.seek(10)
    seen.follow()
    wait(seen, 2)
    seen.extend(10, false)
    expect(seen.moment.following).toBe(false)
    const behind = new Playback(2)
    behind.extend(10, true)
    behind.follow()
    behind.extend(40, false)
    expect(behind.moment.following).toBe(true)
    wait(behind, 30)
    expect(behind.moment).toMatchObject({ pos: 40, playing: false, following: false })
  })
})

describe('between two turns', () => {
  test('a step goes to the turn on that side', () => {
    const on = playbackOf(10, { calm: true })
    on.seek(3.5)
    on.step(1)
    expect(on.moment.pos).toBe(4)
    const back = playbackOf(10, { calm: true })
    back.seek(3.5)
    back.step(-1)
    expect(back.moment.pos).toBe(3)
  })

  test('a position that is a turn but for rounding is that turn', () => {
    const playback = playbackOf(10)
    playback.seek(0.1 * 3 * 10 - 1e-9)
    expect(playback.moment.turn).toBe(3)
  })
})

test('the same key plays and pauses', () => {
  const playback = playbackOf(10)
  playback.toggle()
  expect(playback.moment.playing).toBe(true)
  playback.toggle()
  expect(playback.moment.playing).toBe(false)
})

test('faster and slower stay within the speeds', () => {
  const playback = playbackOf(1)
  playback.changeSpeed(99)
  expect(playback.moment.speed).toBe(16)
  playback.changeSpeed(-1)
  expect(playback.moment.speed).toBe(8)
  playback.changeSpeed(-99)
  expect(playback.moment.speed).toBe(0.25)
})

test('every change calls onChange', () => {
  const playback = playbackOf(5)
  let calls = 0
  playback.onChange = () => calls++
  playback.seek(2)
  playback.play()
  playback.advance(0.1)
  expect(calls).toBe(3)
})
