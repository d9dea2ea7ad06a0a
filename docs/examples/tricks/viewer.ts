/* Tricks as a picture: a row for each seat, with the cards that can be seen, the backs of the others, and the trick. */
import { alpha, playerShape, type Ask, type Asked, type Frame, type GameViewer, type Hidden } from '$viewer/game'

interface Init {
  hand: number
  draws: number
  /** Seat -> its first hand. */
  hidden?: Hidden<number[]>
}
interface Turn extends Frame {
  played: [seat: number, card: number][]
  winner: number | null
  /** Seat -> the card that it drew. */
  hidden?: Hidden<number>
}
/** `null` is a card whose face cannot be seen. */
type Card = number | null
interface State {
  hands: Card[][]
  /** How many cards each seat may still draw. */
  draws: number[]
  points: number[]
  trick: (number | undefined)[]
  winner: number | null
}

const WIDTH = 12

/** The hand without a card; where its face was not known, without one of those. */
function without(hand: Card[], card: number): Card[] {
  const at = hand.includes(card) ? hand.indexOf(card) : hand.indexOf(null)
  return hand.filter((_, index) => index !== at)
}

/** Where the cards of a hand lie. */
const placeOf = (seat: number, place: number): [x: number, y: number] => [1.4 + 1.3 * place, 2 * seat + 0.2]
const handOf = ({ state, seat }: Asked<Init, State>): Card[] => state.hands[seat] ?? []

/** A person clicks the card to play. */
const ask: Ask<Init, Turn, State> = {
  prompt: () => 'Your turn: choose the card to play.',
  example: (here) => String(handOf(here)[0] ?? ''),
  point(input, [x, y], here) {
    const card = handOf(here)[Math.floor((x - 1.4) / 1.3)]
    return card == null || Math.floor(y / 2) !== here.seat ? input : { ...input, commands: [String(card)] }
  },
  places: (_, here) => handOf(here).map((_, place) => placeOf(here.seat, place)).map(([x, y]) => [x + 0.5, y + 0.8]),
  draw(canvas, _, here, { theme }) {
    canvas.fillStyle = alpha(theme.players[here.seat]!, 0.2)
    handOf(here).forEach((_, place) => canvas.fillRect(...placeOf(here.seat, place), 1.1, 1.6))
  },
}

const viewer: GameViewer<Init, Turn, State> = {
  rate: 1,
  start: ({ init, players }) => ({
    hands: players.map((_, seat) => init.hidden?.[seat] ?? Array<Card>(init.hand).fill(null)),
    draws: players.map(() => init.draws),
    points: players.map(() => 0),
    trick: [],
    winner: null,
  }),
  step(before, frame) {
    const [hands, draws, points] = [[...before.hands], [...before.draws], [...before.points]]
    const trick: State['trick'] = []
    for (const [seat, card] of frame.played) {
      trick[seat] = card
      hands[seat] = without(hands[seat] ?? [], card)
      if ((draws[seat] ?? 0) > 0) {
        draws[seat] = draws[seat]! - 1
        hands[seat] = [...hands[seat], frame.hidden?.[seat] ?? null]
      }
    }
    if (frame.winner !== null) points[frame.winner] = (points[frame.winner] ?? 0) + 1
    return { hands, draws, points, trick, winner: frame.winner }
  },
  bounds: ({ players }) => ({ x: 0, y: 0, w: WIDTH, h: 2 * players.length }),
  draw(canvas, { a, header, theme }) {
    const face = (x: number, y: number, card: Card | undefined, seat: number, marked = false): void => {
      canvas.beginPath()
      canvas.roundRect(x, y, 1.1, 1.6, 0.15)
      canvas.fillStyle = card == null ? theme.players[seat]! : theme.raise
      canvas.fill()
      canvas.lineWidth = marked ? 0.12 : 0.04
      canvas.strokeStyle = marked ? theme.good : theme.soft
      canvas.stroke()
      canvas.fillStyle = theme.ink
      if (card != null) canvas.fillText(String(card), x + 0.55, y + 0.85)
    }
    canvas.textAlign = 'center'
    canvas.textBaseline = 'middle'
    canvas.font = `0.7px ${theme.font}`
    header.players.forEach((_, seat) => {
      const y = 2 * seat + 0.2
      playerShape(canvas, seat, 0.7, y + 0.8, 0.35)
      canvas.fillStyle = theme.players[seat]!
      canvas.fill()
      a.hands[seat]?.forEach((card, place) => face(...placeOf(seat, place), card, seat))
      const card = a.trick[seat]
      if (card !== undefined) face(WIDTH - 2, y, card, seat, seat === a.winner)
    })
  },
  hit(x, y, { a, header }) {
    const seat = Math.floor(y / 2)
    const player = header.players[seat]
    if (!player || x < 0 || x >= WIDTH) return null
    const cards = a.hands[seat]?.map((card) => card ?? '?').join(', ') || 'none'
    return { title: player.bot, rows: [{ label: 'cards', value: cards, player: seat }] }
  },
  score: (state) => state.points.map(String),
  describe: (state, { players }) =>
    `Tricks: ${players.map((player, seat) => `${player.bot} ${state.points[seat] ?? 0}`).join(', ')}.`,
  ask,
}

export default viewer
