import { describe, expect, test } from 'vitest'
import { nextPlace, noInput, replyOf, sendsAtOnce } from '../src/viewer/ask'
import type { Ask, Asked, Frame, Input } from '../src/viewer/game'
import type { Header } from '../src/viewer/lines'
import { beaconsOfInput, lineFrom } from '../../games/ants/ask'
import { centre as antCentre } from '../../games/ants/places'
import ants from '../../games/ants/viewer'
import type { Init as AntsInit } from '../../games/ants/state'
import { middle } from '../../games/tryangle/picture'
import type { Init as TryInit } from '../../games/tryangle/state'
import tryangle from '../../games/tryangle/viewer'
import { centre } from '../../games/yavalath/places'
import yavalath from '../../games/yavalath/viewer'

const headerOf = <I>(game: string, init: I): Header<I> => ({ v: 1, game, league: 4, init, players: [{ bot: 'ada' }, { bot: 'bob' }] }) as Header<I>

/** Clicks one point after the other, from an empty input of this tool on. */
function clicked<I, F extends Frame, S extends object>(ask: Ask<I, F, S>, asked: Asked<I, S>, points: [number, number][], tool?: string): Input {
  const empty: Input = { tool: tool ?? ask.tools?.(asked)[0]?.id ?? '', picked: [], commands: [] }
  return points.reduce((input, point) => ask.point(input, point, asked), empty)
}

describe('Yavalath in person', () => {
  const header = headerOf('yavalath', {})
  const ask = yavalath.ask!
  const first = yavalath.step(yavalath.start(header), { t: 1, p: 0, x: 4, y: 4 }, header)
  const second = yavalath.step(first, { t: 2, p: 1, x: 3, y: 4 }, header)

  test('a click on a cell is the whole reply, and is sent at once', () => {
    const input = clicked(ask, { state: yavalath.start(header), seat: 0, header }, [centre(2, 8)])
    expect(input.commands).toEqual(['2 8'])
    expect(sendsAtOnce(ask as unknown as Ask)).toBe(true)
  })

  test('only the first stone can be taken', () => {
    expect(clicked(ask, { state: first, seat: 1, header }, [centre(4, 4)]).commands).toEqual(['4 4'])
    expect(clicked(ask, { state: second, seat: 0, header }, [centre(4, 4)]).commands).toEqual([])
    const open = (state: typeof first): number => ask.places(clicked(ask, { state, seat: 0, header }, []), { state, seat: 0, header }).length
    expect([open(first), open(second)]).toEqual([61, 59])
  })

  test('a stone that was taken is not taken back', () => {
    const stolen = yavalath.step(first, { t: 2, p: 1, x: 4, y: 4, steal: true }, header)
    const asked = { state: stolen, seat: 0, header }
    const none = clicked(ask, asked, [centre(4, 4)])
    expect(none.commands).toEqual([])
    expect(ask.prompt(none, asked)).toBe('Your turn: place a stone on an empty cell.')
    expect(ask.places(none, asked)).toHaveLength(60)
  })

  test('beside the board nothing is clicked', () => {
    expect(clicked(ask, { state: first, seat: 1, header }, [[900, 900]]).commands).toEqual([])
  })

  test('it says when there is something to steal', () => {
    const words = (state: typeof first): string => ask.prompt(clicked(ask, { state, seat: 1, header }, []), { state, seat: 1, header })
    expect(words(first)).toContain('steal the one at 4 4')
    expect(words(second)).toBe('Your turn: place a stone on an empty cell.')
  })
})

describe('Ants in person', () => {
  // A row of five cells, and one below between the first two; bases at both ends.
  const cells: AntsInit['cells'] = [[0, 0, 0, 0], [1, 0, 0, 0], [2, 0, 2, 9], [3, 0, 1, 9], [4, 0, 0, 0], [0, 1, 0, 0]]
  const init: AntsInit = { cells, bases: [[0], [4]], ants: [[5, 0, 0, 0, 0, 0], [0, 0, 0, 0, 5, 0]] }
  const header = headerOf('ants', init)
  const ask = ants.ask!
  const asked = { state: ants.start(header), seat: 0, header }

  test('a click is a line from the nearest base, and another one makes it stronger', () => {
    const input = clicked(ask, asked, [antCentre(init, 2), antCentre(init, 3), antCentre(init, 2)])
    expect(input.commands).toEqual(['LINE 0 2 2', 'LINE 0 3 1'])
    expect(replyOf(ask as unknown as Ask, input)).toBe('LINE 0 2 2;LINE 0 3 1')
  })

  test('each seat has its own base', () => {
    expect(clicked(ask, { ...asked, seat: 1 }, [antCentre(init, 3)]).commands).toEqual(['LINE 4 3 1'])
  })

  test('a single beacon', () => {
    expect(clicked(ask, asked, [antCentre(init, 5), antCentre(init, 5)], 'beacon').commands).toEqual(['BEACON 5 2'])
  })

  test('a turn without commands is WAIT', () => {
    expect(replyOf(ask as unknown as Ask, noInput(ask as unknown as Ask, asked as unknown as Asked))).toBe('WAIT')
  })

  test('the preview shows the beacons that the rules place', () => {
    const input: Input = { tool: '', picked: [], commands: ['BEACON 1 7', 'LINE 0 2 3', 'MESSAGE hi'] }
    expect(beaconsOfInput(input, init)).toEqual([[0, 3], [1, 7], [2, 3]])
    expect(lineFrom(0, 3, init)).toEqual([0, 1, 2, 3])
  })
})

describe('TryAngle in person', () => {
  // A square of two triangles, 0 1 2 and 1 2 3, and a house far off.
  const houses: TryInit['houses'] = [[0, 0], [300, 0], [0, 300], [300, 300], [650, 300]]
  const init: TryInit = {
    houses,
    paths: [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]],
    units: [[2, 1, 1, 0, 0], [0, 0, 0, 1, 1]],
    triangles: [[0, 1, 2, 4], [1, 2, 3, 3]],
    s: [0, 0],
  }
  const header = headerOf('tryangle', init)
  const ask = tryangle.ask!
  const asked = { state: tryangle.start(header), seat: 0, header }
  const inside = middle(init, [0, 1, 2])
  const near = (house: number): [number, number] => [(houses[house]![0] + inside[0]) / 2, (houses[house]![1] + inside[1]) / 2]

  test('a house, then where its units go; once more for each further unit', () => {
    const once = clicked(ask, asked, [houses[0]!, houses[3]!])
    expect([once.commands, once.picked]).toEqual([['MOVE 0 3 1'], [0]])
    const twice = ask.point(once, houses[3]!, asked)
    expect([twice.commands, twice.picked]).toEqual([['MOVE 0 3 2'], []])
    expect(ask.point(twice, houses[0]!, asked)).toBe(twice)
  })

  test('without units there is nothing to move', () => {
    expect(clicked(ask, asked, [houses[4]!, houses[3]!]).commands).toEqual([])
  })

  test('a new unit comes to the corner that is clicked, once a triangle', () => {
    const input = clicked(ask, asked, [near(2), near(1)], 'SPAWN')
    expect(input.commands.map((one) => one.split(' ').slice(0, 2).join(' '))).toEqual(['SPAWN 2'])
  })

  test('an attack takes a triangle with a unit on each corner, and a house next to one', () => {
    const input = clicked(ask, asked, [inside, houses[4]!, houses[3]!], 'ATTACK')
    expect(input.commands).toHaveLength(1)
    expect(input.commands[0]).toMatch(/^ATTACK (?=.*0)(?=.*1)(?=.*2)[012 ]+ 3$/)
    const moved = clicked(ask, asked, [houses[1]!, houses[3]!])
    expect(ask.point({ ...moved, tool: 'ATTACK', picked: [] }, inside, asked).picked).toEqual([])
  })

  test('paths begin at the corner that is clicked', () => {
    expect(clicked(ask, asked, [near(1), houses[3]!], 'REMOVE_PATH').commands[0]).toMatch(/^REMOVE_PATH 1 .* 3$/)
    expect(clicked(ask, asked, [near(1), houses[3]!], 'ADD_PATH').commands).toEqual([])
  })

  test('lower leagues have fewer commands', () => {
    const tools = (league: number): string[] => ask.tools!({ ...asked, header: { ...header, league } }).map(({ id }) => id)
    expect([tools(1), tools(2).length, tools(3).length]).toEqual([['MOVE', 'SPAWN'], 3, 5])
  })

  test('it says what the next click does', () => {
    expect(ask.prompt(clicked(ask, asked, [houses[0]!]), asked)).toContain('house 0 goes')
    expect(ask.prompt(clicked(ask, { ...asked, seat: 1 }, [], 'SPAWN'), { ...asked, seat: 1 })).toBe('You have no triangle for a new unit.')
  })
})

describe('arrow keys', () => {
  const places: [number, number][] = [[0, 0], [10, 0], [20, 1], [10, 10]]

  test('lead to the nearest place ahead', () => {
    expect(nextPlace(places, [0, 0], 'ArrowRight')).toEqual([10, 0])
    expect(nextPlace(places, [10, 0], 'ArrowRight')).toEqual([20, 1])
    expect(nextPlace(places, [10, 0], 'ArrowDown')).toEqual([10, 10])
  })

  test('stay where nothing is ahead, and begin in the middle', () => {
    expect(nextPlace(places, [0, 0], 'ArrowLeft')).toEqual([0, 0])
    expect(nextPlace(places, null, 'ArrowLeft')).toEqual([10, 0])
    expect(nextPlace([], null, 'ArrowUp')).toBeNull()
  })
})
