import { expect, test } from 'vitest'
import { commandOf, embedCode } from '../src/lib/embed'

test('a site may play, pause and seek, and nothing else', () => {
  expect(commandOf({ hexarena: 'play' })).toEqual({ hexarena: 'play' })
  expect(commandOf({ hexarena: 'pause', turn: 3 })).toEqual({ hexarena: 'pause' })
  expect(commandOf({ hexarena: 'seek', turn: 3 })).toEqual({ hexarena: 'seek', turn: 3 })
  for (const data of [null, 'play', 7, {}, { hexarena: 'submit' }, { hexarena: 'seek' }, { hexarena: 'seek', turn: -1 }, { hexarena: 'seek', turn: '3' }, { hexarena: 'seek', turn: NaN }]) {
    expect(commandOf(data)).toBeNull()
  }
})

test('names cannot end the HTML that they stand in', () => {
  const code = embedCode('https://arena.example', 12, '"><script>x', 7)
  expect(code).toContain('src="https://arena.example/embed/matches/12?turn=7"')
  expect(code).toContain('title="&quot;>&lt;script>x"')
})
