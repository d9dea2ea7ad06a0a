/* Paints one moment of a match on a canvas. The only place that knows about device pixels. */
import { visible, type Camera, type Size } from './camera'
import type { Ask, Asked, GameViewer, Input, Theme, View } from './game'
import type { End, Frame } from './lines'
import { hooks } from './hooks'
import type { Timeline } from './timeline'

export interface Scene {
  timeline: Timeline
  end?: End
  pos: number
  camera: Camera
  stage: Size
  theme: Theme
  layers: Record<string, boolean>
  hover: [number, number] | null
  calm: boolean
  /** What a person is asked, and has entered. */
  asking?: { ask: Ask; asked: Asked; input: Input } | null
}

const NEARLY = 1e-6

/** The argument of the game's `draw`, `hud` and `hit`. */
export function viewOf(scene: Scene): View<unknown, Frame, object> {
  const { timeline, camera, stage } = scene
  const turn = Math.min(timeline.last, Math.floor(scene.pos + NEARLY))
  const way = scene.calm || turn >= timeline.last ? 0 : scene.pos - turn
  const k = way < NEARLY ? 0 : way
  const a = timeline.at(turn)
  return {
    a,
    b: k > 0 ? timeline.at(turn + 1) : a,
    k,
    turn,
    frame: timeline.frames[turn - 1],
    next: timeline.frames[turn],
    end: turn >= timeline.last ? scene.end : undefined,
    header: timeline.header,
    theme: scene.theme,
    zoom: camera.zoom,
    box: visible(camera, stage),
    width: stage.w,
    height: stage.h,
    hover: scene.hover,
    layers: scene.layers,
    calm: scene.calm,
  }
}

export function paint(canvas: HTMLCanvasElement, game: GameViewer, scene: Scene): void {
  const { stage } = scene
  const pixels = devicePixelRatio
  const width = Math.round(stage.w * pixels)
  const height = Math.round(stage.h * pixels)
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width
    canvas.height = height
  }
  const context = canvas.getContext('2d')!
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.clearRect(0, 0, width, height)
  paintStage(context, game, scene, pixels)
  hooks.framesPainted++
}

/** Draws the scene's stage, `top` below the upper edge of the canvas. `pixels`: of the canvas for one of the stage. */
export function paintStage(context: CanvasRenderingContext2D, game: GameViewer, scene: Scene, pixels: number, top = 0): void {
  const { camera, stage } = scene
  const view = viewOf(scene)
  const scale = pixels * camera.zoom
  const middle = (stage.h / 2 + top) * pixels
  context.setTransform(scale, 0, 0, scale, (stage.w / 2) * pixels - camera.x * scale, middle - camera.y * scale)
  game.draw(context, view)
  if (scene.asking) scene.asking.ask.draw(context, scene.asking.input, scene.asking.asked, view)
  context.setTransform(pixels, 0, 0, pixels, 0, top * pixels)
  game.hud?.(context, view)
}

/** The initial state of a game's layers. */
export function firstLayers(game: GameViewer): Record<string, boolean> {
  return Object.fromEntries(Object.entries(game.layers ?? {}).map(([name, layer]) => [name, layer.on]))
}
