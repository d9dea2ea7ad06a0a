/*
 * Draws every turn of a replay with a built viewer, on a canvas that records: `node draw-match.mjs VIEWER.js REPLAY`.
 * With `SEAT TURNS`, e.g. `1 1,3,5`, it asks instead as a person in this seat is asked in these turns: it clicks each place
 * where something can be done, and writes a line for each turn: `{ turn, example, commands }`, of games that send the
 * first command at once.
 * Ends with code 1 and a line for each kind of problem: a number that is none, a call that throws, a state that differs
 * after seeking, a state that a step or a picture changed.
 */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [, , module, replay, seat, turns] = process.argv
const viewer = (await import(pathToFileURL(module).href)).default
const [header, ...rest] = readFileSync(replay, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const end = rest.find((line) => line.end !== undefined)
const frames = rest.filter((line) => line.t !== undefined)
const problems = new Map()
let turn = 0
let where = 'start'
let drawn = 0

const report = (problem) => {
  if (!problems.has(problem)) problems.set(problem, `turn ${turn}, ${where}: ${problem}`)
}

/** Numbers that no picture can have. */
const faulty = (value) => typeof value === 'number' && !Number.isFinite(value)

function recordingCanvas() {
  let calls = 0
  let depth = 0
  const values = { globalAlpha: 1, lineWidth: 1, font: '10px sans-serif' }
  const gradient = { addColorStop: (at) => faulty(at) && report(`addColorStop(${at})`) }
  const canvas = new Proxy(values, {
    get(target, name) {
      if (name in target) return target[name]
      if (name === 'measureText') return (text) => ({ width: 6 * String(text).length, actualBoundingBoxAscent: 8, actualBoundingBoxDescent: 2 })
      if (name === 'getTransform') return () => ({ a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 })
      if (name === 'createImageData' || name === 'getImageData') return (...given) => new ImageData(given.at(-2), given.at(-1))
      if (name === 'calls') return calls
      if (name === 'depth') return depth
      if (name === 'canvas') return { width: 800, height: 600 }
      return (...given) => {
        calls++
        if (name === 'save') depth++
        if (name === 'restore') depth--
        if (given.some(faulty)) report(`${String(name)}(${given.join(', ')})`)
        if (String(name).startsWith('create')) return gradient
        return undefined
      }
    },
    set(target, name, value) {
      if (faulty(value)) report(`${String(name)} = ${value}`)
      target[name] = value
      return true
    },
  })
  return canvas
}

// What browsers have and Node has not, as far as a picture needs it.
globalThis.OffscreenCanvas ??= class {
  constructor(width, height) {
    Object.assign(this, { width, height })
    if (faulty(width) || faulty(height)) report(`OffscreenCanvas(${width}, ${height})`)
  }
  getContext() {
    return recordingCanvas()
  }
}
globalThis.ImageData ??= class {
  constructor(width, height) {
    Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) })
  }
}
globalThis.Path2D ??= class {
  constructor() {
    return recordingCanvas()
  }
}

/** What a function returns; what it throws is a problem. */
function attempt(name, act) {
  where = name
  try {
    return act()
  } catch (error) {
    report(`${error}`)
    return undefined
  }
}

/** Says where a JSON-like value has a number that is none. */
function checkNumbers(value) {
  if (faulty(value)) report(`returned ${value}`)
  else if (value && typeof value === 'object') for (const inner of Object.values(value)) checkNumbers(inner)
}

for (const name of ['start', 'step', 'bounds', 'draw']) if (typeof viewer?.[name] !== 'function') report(`expected a function ${name}; got ${typeof viewer?.[name]}`)
if (!(viewer?.rate > 0)) report(`expected rate, turns per second; got ${viewer?.rate}`)

const THEMES = [false, true].map((dark) => ({
  dark,
  ...Object.fromEntries(['paper', 'raise', 'sink', 'line', 'ink', 'soft', 'good', 'bad', 'gem', 'egg', 'onPlayer'].map((name) => [name, '#336699'])),
  players: Array.from({ length: 16 }, (_, team) => `#${(team * 0x0f0f0f).toString(16).padStart(6, '0')}`),
  font: 'sans-serif',
  mono: 'monospace',
}))
const layers = Object.fromEntries(Object.entries(viewer?.layers ?? {}).map(([name, { on }]) => [name, on]))
const text = (state) => JSON.stringify(state, (_, value) => (value instanceof Map || value instanceof Set ? [...value] : value))

if (problems.size === 0) {
  const first = attempt('start', () => viewer.start(header))
  const states = [first]
  for (const frame of frames) {
    turn = frame.t
    const before = text(states.at(-1))
    states.push(attempt('step', () => viewer.step(states.at(-1), frame, header)))
    // Whatever follows would only repeat it.
    if (problems.size > 0) break
    if (text(states[states.length - 2]) !== before) report('step changed the state before')
  }
  if (problems.size === 0) {
    if (seat === undefined) drawAll(states)
    else turns.split(',').forEach((asked) => askPerson(states[Number(asked) - 1], Number(asked), Number(seat)))
  }
}

function drawAll(states) {
  turn = 0
  const box = attempt('bounds', () => viewer.bounds(header))
  checkNumbers(box)
  if (box && !(box.w > 0 && box.h > 0)) report(`expected bounds with w and h above 0; got ${JSON.stringify(box)}`)
  if (box && problems.size === 0) {
    states.forEach((a, index) => drawTurn(states, a, index, box))
    if (drawn === 0) report('nothing is ever drawn')
  }
  attempt('curve', () => {
    const curve = viewer.curve?.(frames, header)
    if (curve?.some((line) => line.length !== frames.length + 1)) report(`expected a value before the first turn and after each of ${frames.length}`)
    checkNumbers(curve)
  })
  turn = 0
  attempt('seek', () => {
    let again = viewer.start(header)
    for (const frame of frames) again = viewer.step(again, frame, header)
    if (text(again) !== text(states.at(-1))) report('the same frames give another state')
  })
}

function viewOf(states, index, rest) {
  return {
    ...{ a: states[index], b: states[index + 1] ?? states[index], k: 0, turn: index, frame: frames[index - 1], next: frames[index] },
    ...{ end: index === frames.length ? end : undefined, header, theme: THEMES[0], zoom: 20, width: 800, height: 600, hover: null, layers, calm: false },
    ...rest,
  }
}

/** A person who is asked in a turn, `state` being what is there before. */
function askPerson(state, number, seat) {
  turn = number
  const { ask } = viewer
  const missing = ['prompt', 'example', 'point', 'places', 'draw'].filter((name) => typeof ask?.[name] !== 'function')
  if (missing.length > 0) return report(ask ? `ask lacks ${missing.join(', ')}` : 'the viewer has no `ask`')
  const asked = { state, seat, header }
  const empty = { tool: attempt('ask.tools', () => ask.tools?.(asked)?.[0]?.id) ?? '', picked: [], commands: [] }
  const before = text(state)
  const box = attempt('bounds', () => viewer.bounds(header))
  const prompt = attempt('ask.prompt', () => ask.prompt(empty, asked))
  const example = attempt('ask.example', () => ask.example(asked))
  for (const [name, value] of Object.entries({ prompt, example })) if (typeof value !== 'string' || /^$|\n/.test(value)) report(`ask.${name} gives ${JSON.stringify(value)}: expected one line of text`)
  const places = attempt('ask.places', () => ask.places(empty, asked)) ?? []
  attempt('ask.places', () => checkNumbers(places))
  const inputs = [empty, ...places.map((place) => attempt('ask.point', () => ask.point(empty, place, asked)) ?? empty)]
  attempt('ask.point', () => ask.point(empty, [box.x - 1e6, box.y - 1e6], asked))
  if (places.length > 0 && inputs.every((input) => input === empty)) report('ask.point does nothing at any of the places of ask.places')
  if (places.length === 0 && !ask.key && number === Number(turns.split(',')[0])) report('ask.places has no place, and there is no ask.key')
  for (const key of ['ArrowUp', 'x']) attempt('ask.key', () => ask.key?.(empty, key, asked))
  for (const input of inputs.slice(0, 9)) {
    const canvas = recordingCanvas()
    attempt('ask.draw', () => ask.draw(canvas, input, asked, viewOf([state], 0, { turn: number - 1, next: undefined, box, hover: places[0] ?? null })))
    if (canvas.depth !== 0) report('save and restore do not match')
  }
  if (text(state) !== before) report('a state was changed by asking about it')
  const sent = ask.pass === undefined ? [...new Set(inputs.flatMap((input) => input.commands.slice(0, 1)))] : []
  console.log(JSON.stringify({ turn: number, example, commands: sent }))
}

function drawTurn(states, a, index, box) {
  turn = index
  const before = text(a)
  const moments = index + 1 < states.length ? [0, 0.5] : [0]
  for (const k of moments)
    for (const theme of THEMES) {
      const view = viewOf(states, index, { k, theme, box })
      const canvas = recordingCanvas()
      attempt('draw', () => viewer.draw(canvas, view))
      drawn += canvas.calls
      if (canvas.depth !== 0) report('save and restore do not match')
      attempt('hud', () => viewer.hud?.(recordingCanvas(), view))
      for (const x of [0, 0.5, 1]) for (const y of [0, 0.5, 1]) attempt('hit', () => checkNumbers(viewer.hit?.(box.x + x * box.w, box.y + y * box.h, view)))
    }
  for (const name of ['score', 'note', 'describe', 'spots']) attempt(name, () => checkNumbers(viewer[name]?.(a, header)))
  attempt('focus', () => checkNumbers(viewer.focus?.(a, header, null)))
  if (index > 0) attempt('marks', () => checkNumbers(viewer.marks?.(frames[index - 1], header)))
  if (index > 0 && viewer.key)
    attempt('key', () => {
      const key = viewer.key(frames[index - 1], header, a)
      if (key !== null && typeof key !== 'object') report(`expected a state or null; got ${typeof key}`)
    })
  if (text(a) !== before) report('a state was changed by drawing it')
}

for (const problem of [...problems.values()].slice(0, 10)) console.error(problem)
process.exit(problems.size > 0 ? 1 : 0)
