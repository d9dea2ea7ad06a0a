/*
 * Draws one moment of a match without a browser, as the server needs it for links that are shared:
 *
 *     node picture.mjs CANVAS TURN [VIEWER] < replay.jsonl > picture.png
 *
 * CANVAS: where the package `@napi-rs/canvas` is, which draws what a browser's canvas does. TURN: a number, or `last`.
 * VIEWER: the module of a game from outside the repository. The same code as on the pages draws it (viewer/picture.ts).
 */
import { createRequire } from 'node:module'
import { readFileSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type * as Canvas from '@napi-rs/canvas'
import mono from '@fontsource-variable/atkinson-hyperlegible-mono/files/atkinson-hyperlegible-mono-latin-wght-normal.woff2?inline'
import sans from '@fontsource-variable/atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-wght-normal.woff2?inline'
import css from '../app.css?raw'
import type { GameViewer } from '../viewer/game'
import type { End, Frame, Header } from '../viewer/lines'
import { firstLayers } from '../viewer/painter'
import { drawPicture, PICTURE } from '../viewer/picture'
import { Timeline } from '../viewer/timeline'
import { themeOf } from './theme'

const OWN = import.meta.glob<{ default: unknown }>('../../../games/*/viewer.ts')
const STDIN = 0
const STDOUT = 1

async function loadViewer(id: string, outside: string | undefined): Promise<GameViewer> {
  const load = OWN[`../../../games/${id}/viewer.ts`]
  if (load) return (await load()).default as GameViewer
  if (!outside) throw new Error(`Expected the viewer of ${id}.`)
  return ((await import(/* @vite-ignore */ pathToFileURL(outside).href)) as { default: GameViewer }).default
}

/** Gives viewers what a browser has: fonts, paths, images, and canvases to draw on first. */
function furnish({ createCanvas, GlobalFonts, ImageData, Path2D, DOMMatrix }: typeof Canvas): void {
  for (const [name, font] of Object.entries({ Atkinson: sans, 'Atkinson Mono': mono })) {
    GlobalFonts.register(Buffer.from(font.slice(font.indexOf(',') + 1), 'base64'), name)
  }
  class OffscreenCanvas {
    constructor(width: number, height: number) {
      return createCanvas(width, height)
    }
  }
  Object.assign(globalThis, { ImageData, Path2D, DOMMatrix, OffscreenCanvas })
}

async function main([place, wanted, outside]: string[]): Promise<void> {
  if (!place || !wanted) throw new Error('Expected CANVAS TURN [VIEWER].')
  const canvases = createRequire(import.meta.url)(place) as typeof Canvas
  furnish(canvases)
  const lines = readFileSync(STDIN, 'utf8').trim().split('\n')
  const [header, ...rest] = lines.map((line) => JSON.parse(line)) as [Header, ...(Frame | End)[]]
  const game = await loadViewer(header.game, outside)
  const timeline = new Timeline(header, game)
  for (const line of rest) if ('t' in line) timeline.push(line)
  const end = rest.find((line): line is End => 'end' in line)
  const turn = wanted === 'last' ? timeline.last : Math.min(timeline.last, Number(wanted))
  // A state that a frame holds does not know when bots were out, which their scores need. In the end they are known.
  const known = turn === timeline.last && end !== undefined && end.void === undefined
  const every = game.every ?? 1
  for (let ready = 0; !known && ready + every <= turn && timeline.prepare(); ) ready += every
  const canvas = canvases.createCanvas(PICTURE.w, PICTURE.h)
  const what = { game, timeline, end, theme: themeOf(css), layers: firstLayers(game) }
  drawPicture(canvas as unknown as HTMLCanvasElement, what, turn, PICTURE)
  const png = canvas.toBuffer('image/png')
  for (let written = 0; written < png.length; ) written += writeSync(STDOUT, png, written)
}

await main(process.argv.slice(2))
