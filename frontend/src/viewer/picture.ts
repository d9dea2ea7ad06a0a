/* A moment of a match as a picture to show elsewhere: who plays, the scores, the board, the turn. */
import { between, closeUp, fit, type Camera, type Size } from './camera'
import type { GameViewer, Theme } from './game'
import type { End } from './lines'
import { paintStage } from './painter'
import { finalScores, teamName, teamsOf } from './teams'
import type { Timeline } from './timeline'

/** What is shown where links to a page are shared. */
export const PICTURE: Size = { w: 1200, h: 630 }
const HEAD = 72
const PAD = 24
const GAP = 14
const FOOT = 38
const NAME_FONT = 27
const SCORE_FONT = 32
const SMALL_FONT = 18
/** After so many seconds about two thirds of the way to a new focus are done. */
const CHASE_S = 0.55

export interface Pictured {
  game: GameViewer
  timeline: Timeline
  end?: End
  theme: Theme
  layers: Record<string, boolean>
}

/** The whole board, or what the game wants one to look at in this turn. */
export function cameraOf({ game, timeline }: Pictured, turn: number, stage: Size, near: Camera | null): Camera {
  const board = game.bounds(timeline.header)
  const focus = game.focus?.(timeline.at(turn), timeline.header, near && [near.x, near.y])
  return focus ? closeUp(focus, board, stage, game.closest) : fit(board, stage, 0, game.foot?.({ width: stage.w, height: stage.h }, timeline.header))
}

/** The camera `seconds` later, on its way to where it should be. */
export const chase = (from: Camera, to: Camera, seconds: number): Camera => between(from, to, 1 - Math.exp(-seconds / CHASE_S))

/** The part of a picture that the board has. */
export const stageOf = (size: Size): Size => ({ w: size.w, h: size.h - HEAD - FOOT })

/** Draws the position `pos`, a point between two turns, on a canvas of this size. */
export function drawPicture(canvas: HTMLCanvasElement, what: Pictured, pos: number, size: Size, camera?: Camera): void {
  const { game, timeline, theme } = what
  const stage = stageOf(size)
  const turn = Math.min(timeline.last, Math.floor(pos))
  if (canvas.width !== size.w || canvas.height !== size.h) {
    canvas.width = size.w
    canvas.height = size.h
  }
  const context = canvas.getContext('2d')!
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.fillStyle = theme.paper
  context.fillRect(0, 0, size.w, size.h)
  const seen = camera ?? cameraOf(what, turn, stage, null)
  const scene = { timeline, end: what.end, pos, camera: seen, stage, theme, layers: what.layers, hover: null, calm: false }
  context.save()
  context.beginPath()
  context.rect(0, HEAD, stage.w, stage.h)
  context.clip()
  paintStage(context, game, scene, 1, HEAD)
  context.restore()
  context.setTransform(1, 0, 0, 1, 0, 0)
  drawHead(context, what, turn, size)
  drawFoot(context, what, turn, size)
}

function drawHead(context: CanvasRenderingContext2D, { game, timeline, theme, end }: Pictured, turn: number, size: Size): void {
  context.fillStyle = theme.raise
  context.fillRect(0, 0, size.w, HEAD)
  const teams = teamsOf(timeline.header)
  const counted = game.score?.(timeline.at(turn), timeline.header) ?? []
  const scores = turn === timeline.last ? finalScores(counted, timeline.header, end) : counted
  const room = (size.w - 2 * PAD - (teams.length - 1) * 2 * GAP) / teams.length
  teams.forEach((team, i) => {
    const left = PAD + i * (room + 2 * GAP)
    const mirrored = teams.length === 2 && i === 1
    context.fillStyle = theme.players[i % theme.players.length]!
    context.fillRect(left, HEAD - 5, room, 5)
    context.textBaseline = 'middle'
    const score = scores[i] ?? ''
    context.font = `700 ${SCORE_FONT}px ${theme.mono}`
    const scoreWidth = context.measureText(score).width
    context.fillStyle = theme.ink
    context.textAlign = mirrored ? 'left' : 'right'
    context.fillText(score, mirrored ? left : left + room, HEAD / 2)
    context.font = `700 ${NAME_FONT}px ${theme.font}`
    context.textAlign = mirrored ? 'right' : 'left'
    const name = shortened(context, teamName(team), room - scoreWidth - 2 * GAP)
    context.fillText(name, mirrored ? left + room : left, HEAD / 2)
  })
}

function drawFoot(context: CanvasRenderingContext2D, { timeline, theme }: Pictured, turn: number, size: Size): void {
  context.fillStyle = theme.raise
  context.fillRect(0, size.h - FOOT, size.w, FOOT)
  context.fillStyle = theme.ink
  context.font = `600 ${SMALL_FONT}px ${theme.font}`
  context.textAlign = 'left'
  context.fillText(`Turn ${turn} of ${timeline.last}`, PAD, size.h - FOOT / 2)
  context.textAlign = 'right'
  context.fillText('Hexarena', size.w - PAD, size.h - FOOT / 2)
}

/** The text, cut so that it is at most this wide. */
export function shortened(context: Pick<CanvasRenderingContext2D, 'measureText'>, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text
  let length = text.length
  while (length > 0 && context.measureText(`${text.slice(0, length)}…`).width > width) length--
  return `${text.slice(0, length)}…`
}

/** The picture as a PNG. */
export async function pngOf(what: Pictured, turn: number): Promise<Blob> {
  const canvas = document.createElement('canvas')
  drawPicture(canvas, what, turn, PICTURE)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (!blob) throw new Error('This browser could not make the picture.')
  return blob
}
