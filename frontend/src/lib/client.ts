/* The arena's HTTP API, a function for each call. Whatever goes wrong becomes an `ApiError` with words for the user. */
import type * as t from './types'

const BASE = '/api/v1'

/** `message` says what happened and may be shown as it is. `status` is 0 when the arena could not be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

type Query = Record<string, string | number | boolean | null | undefined>

export const api = {
  me: () => get<t.Me>('/me'),
  rename: (name: string) => send<t.Me>('PATCH', '/me', { name }),
  languages: () => get<t.Language[]>('/languages'),

  games: () => get<t.Game[]>('/games'),
  game: (id: string) => get<t.GameDetail>(`/games/${encodeURIComponent(id)}`),
  starters: (id: string) => get<t.Starter[]>(`/games/${encodeURIComponent(id)}/starters`),
  leaderboard: (id: string, query: { limit?: number; after?: string } = {}) =>
    get<t.Leaderboard>(`/games/${encodeURIComponent(id)}/leaderboard`, query),

  bots: (query: { mine?: boolean; game?: string } = {}) => get<t.BotList>('/bots', query),
  bot: (id: number) => get<t.Bot>(`/bots/${id}`),

  submission: (id: number) => get<t.Submission>(`/submissions/${id}`),
  restore: (id: number) => send<t.Submission>('POST', `/submissions/${id}/restore`, {}),
  explained: (id: number) => get<t.RatingExplained>(`/submissions/${id}/rating`),
  submit: (body: t.NewSubmission) => send<t.Submission>('POST', '/submissions', body),
  upload: async (body: t.NewUpload) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(body)) if (value) form.append(name, value)
    return (await request('/submissions/file', { method: 'POST', body: form })).json() as Promise<t.Submission>
  },
  source: async (id: number) => (await request(`/submissions/${id}/source`)).text(),
  files: (id: number) => get<t.SourceFiles>(`/submissions/${id}/files`),

  matches: (query: Query = {}) => get<t.MatchPage>('/matches', query),
  match: (id: number) => get<t.Match>(`/matches/${id}`),
  play: (body: t.NewMatch) => send<t.Match>('POST', '/matches', body),
  /** The whole replay, streamed. */
  replay: async (id: number) => (await request(`/matches/${id}/replay`)).body!,
  /** A seat's private log, streamed; only its bot's owner gets it. */
  seatLog: async (id: number, seat: number) => (await request(`/matches/${id}/seats/${seat}/io`)).body!,
}

export const eventsUrl = (game?: string): string => `${BASE}/events${search({ game })}`
export const sourceUrl = (submission: number): string => `${BASE}/submissions/${submission}/source`
export const liveUrl = (match: number): string => `${BASE}/matches/${match}/live`

/** The words for any error that reaches a page. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function get<T>(path: string, query: Query = {}): Promise<T> {
  return (await request(path + search(query))).json() as Promise<T>
}

async function send<T>(method: string, path: string, body: unknown): Promise<T> {
  const headers = { 'Content-Type': 'application/json' }
  return (await request(path, { method, headers, body: JSON.stringify(body) })).json() as Promise<T>
}

async function request(path: string, init?: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(BASE + path, init)
  } catch {
    throw new ApiError(0, 'The arena cannot be reached. Check your connection, then try again.')
  }
  if (!response.ok) throw new ApiError(response.status, await problemWords(response))
  return response
}

/** From application/problem+json (RFC 9457) to a sentence or two; anything else is our fault. */
async function problemWords(response: Response): Promise<string> {
  if (!(response.headers.get('Content-Type') ?? '').includes('json')) return `The arena failed (${response.status}). Try again in a moment.`
  const problem = (await response.json()) as Partial<t.Problem>
  const fields = (problem.errors ?? []).map((error) => `${error.where}: ${error.message}`)
  const detail = problem.detail || problem.title || `The arena answered ${response.status}.`
  return [detail, ...fields].join(' ')
}

function search(query: Query): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}
