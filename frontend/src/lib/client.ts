/* The arena's HTTP API, a function for each call. Every failure becomes an `ApiError` with a message for the user. */
import { localHeaders } from './local-token'
import type * as t from './types'

const BASE = '/api/v1'

/** `message` can be shown as it is. `status` is 0 when the arena could not be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly problem: Partial<t.Problem> = {},
  ) {
    super(message)
  }
}

const changed = new Set<() => void>()

/** Calls it after each change that this tab has made. Returns a function that ends this. */
export function whenChanged(act: () => void): () => void {
  changed.add(act)
  return () => changed.delete(act)
}

type Query = Record<string, string | number | boolean | null | undefined>

export const api = {
  me: () => get<t.Me>('/me'),
  changeMe: (change: { name?: string; email?: string }) => send<t.Me>('PATCH', '/me', change),
  changePassword: (change: { old: string; fresh: string }) => send<t.Me>('POST', '/me/password', { old: change.old, new: change.fresh }),
  deleteMe: (proof: { name: string; password: string }) => act('DELETE', '/me', proof),

  retention: () => get<t.Retention>('/retention'),
  signInOptions: () => get<t.SignInOptions>('/sign-in/options'),
  signUp: (body: t.SignUp) => send<t.Me>('POST', '/sign-up', body),
  signIn: (body: t.SignIn) => send<t.Me>('POST', '/sign-in', body),
  signOut: () => act('POST', '/sign-out'),
  sessions: () => get<t.SessionList>('/me/sessions'),
  endSession: (id: number) => act('DELETE', `/me/sessions/${id}`),
  endOtherSessions: () => act('DELETE', '/me/sessions'),
  tokens: () => get<t.TokenList>('/me/tokens'),
  createToken: (body: t.NewToken) => send<t.CreatedToken>('POST', '/me/tokens', body),
  revokeToken: (id: number) => act('DELETE', `/me/tokens/${id}`),

  webhook: () => get<t.Webhook>('/me/webhook'),
  setWebhook: (body: t.NewWebhook) => send<t.SavedWebhook>('PUT', '/me/webhook', body),
  removeWebhook: () => act('DELETE', '/me/webhook'),
  renewWebhookSecret: () => send<t.WebhookSecret>('POST', '/me/webhook/secret', {}),
  testWebhook: () => send<t.WebhookMessage>('POST', '/me/webhook/test', {}),
  webhookMessages: () => get<t.WebhookMessageList>('/me/webhook/deliveries'),
  redeliver: (id: number) => send<t.WebhookMessage>('POST', `/me/webhook/deliveries/${id}/redeliver`, {}),

  status: () => get<t.ArenaStatus>('/status'),
  faultsOfTheDay: () => get<t.DayOfFaults>('/status/faults'),
  users: (query: { name?: string; limit?: number; after?: string }) => get<t.UserPage>('/users', query),
  setRole: (id: number, role: t.UserInfo['role']) => send<t.UserInfo>('PATCH', `/users/${id}`, { role }),
  invites: () => get<t.InviteList>('/invites'),
  createInvite: (body: t.NewInvite) => send<t.CreatedInvite>('POST', '/invites', body),
  revokeInvite: (id: number) => act('DELETE', `/invites/${id}`),

  languages: () => get<t.Language[]>('/languages'),

  games: () => get<t.Game[]>('/games'),
  game: (id: string) => get<t.GameDetail>(`/games/${encodeURIComponent(id)}`),
  starters: (id: string) => get<t.Starter[]>(`/games/${encodeURIComponent(id)}/starters`),
  leaderboard: (id: string, query: { limit?: number; after?: string; league?: number } = {}) =>
    get<t.Leaderboard>(`/games/${encodeURIComponent(id)}/leaderboard`, query),
  endings: (id: string) => get<t.EndingList>(`/games/${encodeURIComponent(id)}/endings`),
  pastLeaderboard: (id: string, at: string) => get<t.PastLeaderboard>(`/games/${encodeURIComponent(id)}/leaderboard/at`, { at, limit: 1000 }),
  lessons: (id: string) => get<t.LessonList>(`/games/${encodeURIComponent(id)}/lessons`),
  tryLesson: (id: string, number: number, body: t.NewAttempt) =>
    send<t.LessonAttempt>('POST', `/games/${encodeURIComponent(id)}/lessons/${number}/attempts`, body),
  lessonAttempt: (id: string, number: number, attempt: number) =>
    get<t.LessonAttempt>(`/games/${encodeURIComponent(id)}/lessons/${number}/attempts/${attempt}`),
  seasons: (id: string) => get<t.SeasonList>(`/games/${encodeURIComponent(id)}/seasons`),
  season: (id: string, number: number) => get<t.SeasonTable>(`/games/${encodeURIComponent(id)}/seasons/${number}`, { limit: 1000 }),
  startSeason: (id: string, name: string) => send<t.Season>('POST', `/games/${encodeURIComponent(id)}/seasons`, { name: name || null }),
  matchups: (id: string) => get<t.Matchups>(`/games/${encodeURIComponent(id)}/ladder/matchups`),

  person: (id: number) => get<t.Person>(`/people/${id}`),
  draft: (game: string, language: string) => get<t.KeptDraft>(draftPath(game, language)),
  keepDraft: (game: string, language: string, body: t.NewDraft) => send<t.KeptDraft>('PUT', draftPath(game, language), body),

  notices: () => get<t.NoticeList>('/me/notices'),
  seeNotices: (upTo: number) => send<t.NoticeList>('POST', '/me/notices/seen', { up_to: upTo }),

  bots: (query: { mine?: boolean; game?: string } = {}) => get<t.BotList>('/bots', query),
  bot: (id: number) => get<t.Bot>(`/bots/${id}`),
  versions: (id: number, query: { after?: string | null }) => get<t.SubmissionList>(`/bots/${id}/submissions`, query),
  history: (id: number) => get<t.History>(`/bots/${id}/history`),
  opponents: (id: number, version?: number) => get<t.OpponentResults>(`/bots/${id}/opponents`, { version }),
  deleteBot: (id: number) => act('DELETE', `/bots/${id}`),

  submission: (id: number) => get<t.Submission>(`/submissions/${id}`),
  restore: (id: number) => send<t.Submission>('POST', `/submissions/${id}/restore`, {}),
  explained: (id: number) => get<t.RatingExplained>(`/submissions/${id}/rating`),
  submit: (body: t.NewSubmission) => send<t.Submission>('POST', '/submissions', body),
  upload: async (body: t.NewUpload) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(body)) if (value) form.append(name, value)
    return (await request('/submissions/file', { method: 'POST', body: form })).json() as Promise<t.Submission>
  },
  describe: (id: number, said: { note?: string; tag?: string }) => send<t.Submission>('PATCH', `/submissions/${id}`, said),
  source: async (id: number) => (await request(`/submissions/${id}/source`)).text(),
  deleteSource: (id: number) => send<t.Submission>('DELETE', `/submissions/${id}/source`, {}),
  files: (id: number) => get<t.SourceFiles>(`/submissions/${id}/files`),

  duels: (query: { game?: string; mine?: boolean; limit?: number; after?: string } = {}) => get<t.DuelList>('/duels', query),
  duel: (id: number) => get<t.Duel>(`/duels/${id}`),
  startDuel: (body: t.NewDuel) => send<t.Duel>('POST', '/duels', body),
  cancelDuel: (id: number) => send<t.Duel>('POST', `/duels/${id}/cancel`, {}),

  events: (query: { after?: string } = {}) => get<t.EventList>('/events', query),
  event: (id: number) => get<t.EventDetail>(`/events/${id}`),
  eventLadder: (id: number) => get<t.EventLadder>(`/events/${id}/ladder`),
  eventStage: (id: number, index: number) => get<t.EventStageState>(`/events/${id}/stages/${index}`),
  eventPairing: (id: number, pairing: number) => get<t.EventPairing>(`/events/${id}/pairings/${pairing}`),
  eventHeat: (id: number, heat: number) => get<t.EventHeat>(`/events/${id}/heats/${heat}`),
  resumeHeat: (id: number, heat: number) => send<t.EventHeat>('POST', `/events/${id}/heats/${heat}/resume`, {}),
  enterEvent: (id: number, bot: number, code: string) => send<t.EventDetail>('POST', `/events/${id}/entries`, { bot, code: code || null }),
  leaveEvent: (id: number, entry: number) => send<t.EventDetail>('DELETE', `/events/${id}/entries/${entry}`, {}),

  createEvent: (body: t.NewEvent) => send<t.CreatedEvent>('POST', '/events', body),
  previewEvent: (body: t.NewEventPreview) => send<t.EventPreview>('POST', '/events/preview', body),
  changeEvent: (id: number, body: Partial<t.NewEvent>) => send<t.EventDetail>('PATCH', `/events/${id}`, body),
  renewEventCode: (id: number) => send<t.EventCode>('POST', `/events/${id}/code`, {}),
  cancelEvent: (id: number, reason: string) => send<t.EventDetail>('POST', `/events/${id}/cancel`, { reason }),
  releaseEvent: (id: number) => send<t.EventDetail>('POST', `/events/${id}/release`, {}),
  disqualify: (id: number, entry: number, reason: string) => send<t.EventDetail>('POST', `/events/${id}/entries/${entry}/disqualify`, { reason }),
  resumePairing: (id: number, pairing: number) => send<t.EventPairing>('POST', `/events/${id}/pairings/${pairing}/resume`, {}),
  pauseEvent: (id: number, reason: string) => send<t.EventDetail>('POST', `/events/${id}/pause`, { reason }),
  nameOrganiser: (id: number, name: string) => send<t.EventDetail>('POST', `/events/${id}/organisers`, { name }),
  removeOrganiser: (id: number, user: number) => send<t.EventDetail>('DELETE', `/events/${id}/organisers/${user}`, {}),
  continueEvent: (id: number) => send<t.EventDetail>('POST', `/events/${id}/continue`, {}),

  announcements: () => get<t.AnnouncementList>('/announcements'),
  announce: (body: t.NewAnnouncement) => send<t.Announcement>('POST', '/announcements', body),
  withdrawAnnouncement: (id: number) => act('DELETE', `/announcements/${id}`),
  ladder: (game: string) => get<t.LadderInfo>(`/games/${encodeURIComponent(game)}/ladder`),
  freezeLadder: (game: string, reason: string) => send<t.LadderFreeze>('POST', `/games/${encodeURIComponent(game)}/ladder/freeze`, { reason }),
  thawLadder: (game: string) => send<t.LadderFreeze>('POST', `/games/${encodeURIComponent(game)}/ladder/thaw`, {}),
  ban: (id: number, reason: string) => send<t.UserInfo>('POST', `/users/${id}/ban`, { reason }),
  unban: (id: number) => send<t.UserInfo>('POST', `/users/${id}/unban`, {}),
  annul: (id: number, reason: string) => send<t.Match>('POST', `/matches/${id}/annul`, { reason }),
  rerun: (id: number, reason: string) => send<t.Match>('POST', `/matches/${id}/rerun`, { reason }),
  auditLog: (query: { event?: number; before?: number; limit?: number } = {}) => get<t.AuditLog>('/audit', query),
  signInByCode: (body: { code: string; password: string }) => send<t.Me>('POST', '/sign-in/code', body),
  classes: () => get<t.ClassList>('/classes'),
  createClass: (body: { game: string; name: string }) => send<t.ClassDetail>('POST', '/classes', body),
  classOf: (id: number) => get<t.ClassDetail>(`/classes/${id}`),
  changeClass: (id: number, change: { name?: string; named?: number }) => send<t.ClassInfo>('PATCH', `/classes/${id}`, change),
  nameClassOrganiser: (id: number, name: string) => send<t.ClassDetail>('POST', `/classes/${id}/organisers`, { name }),
  removeClassOrganiser: (id: number, user: number) => act('DELETE', `/classes/${id}/organisers/${user}`),
  deleteClass: (id: number) => act('DELETE', `/classes/${id}`),
  importRoster: async (id: number, file: File, options: { dryRun: boolean; days: number; teams: boolean }) => {
    const body = new FormData()
    body.set('file', file)
    body.set('dry_run', String(options.dryRun))
    body.set('days', String(options.days))
    body.set('teams', String(options.teams))
    return (await request(`/classes/${id}/roster`, { method: 'POST', body })).json() as Promise<t.ClassImport>
  },
  classMembers: (id: number) => get<t.ClassMembers>(`/classes/${id}/members`),
  moveMember: (id: number, member: number, team: number | null) => act('PATCH', `/classes/${id}/members/${member}`, { team }),
  removeMember: (id: number, member: number) => act('DELETE', `/classes/${id}/members/${member}`),
  renewCodes: (id: number, members: number[] | null, days: number) => send<t.ClassCodes>('POST', `/classes/${id}/codes`, { members, days }),
  createTeam: (id: number, members: number[]) => send<t.ClassMembers>('POST', `/classes/${id}/teams`, { members }),
  leaveTeam: () => act('POST', '/me/team/leave'),
  giveBot: (bot: number) => act('POST', '/me/team/bots', { bot }),
  createAssignment: (id: number, body: { name: string; deadline: string; bots: number[] }) =>
    send<t.ClassDetail>('POST', `/classes/${id}/assignments`, body),
  moveAssignment: (id: number, assignment: number, body: { deadline: string }) =>
    send<t.ClassDetail>('PATCH', `/classes/${id}/assignments/${assignment}`, body),
  removeAssignment: (id: number, assignment: number) => act('DELETE', `/classes/${id}/assignments/${assignment}`),
  extensions: (id: number, assignment: number) => get<t.ClassExtensions>(`/classes/${id}/assignments/${assignment}/extensions`),
  extend: (id: number, assignment: number, body: { owner_id: number; hours: number; reason: string }) =>
    send<t.ClassExtensions>('POST', `/classes/${id}/assignments/${assignment}/extensions`, body),
  marks: (id: number, assignment: number) => get<t.ClassMarks>(`/classes/${id}/assignments/${assignment}/marks`),
  makeMarks: (id: number, assignment: number) => send<t.ClassMarks>('POST', `/classes/${id}/assignments/${assignment}/marks`, {}),
  compareSources: (id: number, body: { assignment: number | null; earlier: number[] }) =>
    send<t.SimilarityReportInfo>('POST', `/classes/${id}/similarity`, body),
  similarityReports: (id: number) => get<{ items: t.SimilarityReportInfo[] }>(`/classes/${id}/similarity`),
  similarityReport: (id: number, report: number) => get<t.SimilarityReport>(`/classes/${id}/similarity/${report}`),
  similarPair: (id: number, report: number, position: number) => get<t.SimilarPairDetail>(`/classes/${id}/similarity/${report}/pairs/${position}`),
  playForMarks: (id: number, assignment: number, games: number) =>
    send<{ matches: number }>('POST', `/classes/${id}/assignments/${assignment}/games`, { games }),

  batches: (game: string) => get<t.BatchList>('/batches', { game }),
  batch: (id: number) => get<t.Batch>(`/batches/${id}`),
  startBatch: (body: t.NewBatch) => send<t.Batch>('POST', '/batches', body),
  stopBatch: (id: number) => send<t.Batch>('POST', `/batches/${id}/stop`, {}),

  openInPerson: () => get<t.OpenInPerson>('/in-person'),
  inPerson: (match: number) => get<t.InPerson>(`/in-person/${match}`),
  playInPerson: (body: t.NewInPerson) => send<t.Match>('POST', '/in-person', body),
  reply: (match: number, turn: number, line: string) => send<t.InPerson>('POST', `/in-person/${match}/reply`, { turn, line }),
  resign: (match: number) => send<t.InPerson>('POST', `/in-person/${match}/resign`, {}),

  matches: (query: Query = {}) => get<t.MatchPage>('/matches', query),
  match: (id: number) => get<t.Match>(`/matches/${id}`),
  play: (body: t.NewMatch) => send<t.Match>('POST', '/matches', body),
  /** The whole replay, streamed. */
  replay: async (id: number) => (await request(`/matches/${id}/replay`)).body!,
  /** A seat's private log, streamed; only its bot's owner gets it. */
  seatLog: async (id: number, seat: number) => (await request(`/matches/${id}/seats/${seat}/io`)).body!,
}

const draftPath = (game: string, language: string): string => `/me/drafts/${encodeURIComponent(game)}/${encodeURIComponent(language)}`
/** `pastMs`: begin with what changed in this time. */
export const feedUrl = (pastMs?: number): string => `${BASE}/feed${search({ past_ms: pastMs })}`
/** A board as a file: of a league or not, now or at a time. */
export const boardUrl = (game: string, { at, season, ...query }: Query): string => {
  const address = `${BASE}/games/${encodeURIComponent(game)}`
  if (season) return `${address}/seasons/${season}${search({ ...query, league: null })}`
  return `${address}/leaderboard${at ? '/at' : ''}${search(at ? { ...query, at, league: null } : query)}`
}
export const sourceUrl = (submission: number): string => `${BASE}/submissions/${submission}/source`
export const exportUrl = `${BASE}/me/export`
export const liveUrl = (match: number): string => `${BASE}/matches/${match}/live`

/** The arena wants somebody who is signed in. */
export const wantsSignIn = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401 && /:(sign-in-needed|bad-cookie)$/.test(error.problem.type ?? '')

/** The message to show for any error. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The same with what the arena expected, and what it got. */
export function explainedMessage(error: unknown): string {
  // Who shall sign in is told so, with a link.
  if (!(error instanceof ApiError) || wantsSignIn(error)) return errorMessage(error)
  const { expected, got, errors } = error.problem
  if (!expected || errors?.length || error.message.includes(expected)) return error.message
  return `${error.message} Expected ${expected}${got ? `; got ${got}` : ''}.`
}

async function get<T>(path: string, query: Query = {}): Promise<T> {
  return (await request(path + search(query))).json() as Promise<T>
}

async function send<T>(method: string, path: string, body: unknown): Promise<T> {
  const headers = { 'Content-Type': 'application/json' }
  return (await request(path, { method, headers, body: JSON.stringify(body) })).json() as Promise<T>
}

/** A call that answers with nothing. */
async function act(method: string, path: string, body: unknown = {}): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  await request(path, { method, headers, body: JSON.stringify(body) })
}

async function request(path: string, init?: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
  let response: Response
  try {
    response = await fetch(BASE + path, init && { ...init, headers: { ...init.headers, ...localHeaders() } })
  } catch {
    throw new ApiError(0, 'The arena cannot be reached. Check your connection, then try again.')
  }
  if (!response.ok) throw await errorOf(response)
  if (init) for (const act of [...changed]) act()
  return response
}

/** From application/problem+json (RFC 9457) to a sentence or two; any other body means a server error. */
async function errorOf(response: Response): Promise<ApiError> {
  if (!(response.headers.get('Content-Type') ?? '').includes('json'))
    return new ApiError(response.status, `Server error (${response.status}). Try again in a moment.`)
  const problem = (await response.json()) as Partial<t.Problem>
  const detail = problem.detail || problem.title || `The request failed (${response.status}).`
  const fields = (problem.errors ?? []).map((error) => `${error.where}: ${error.message}`)
  const words = [detail, ...fields.filter((one) => !detail.includes(one))].join(' ')
  return new ApiError(response.status, words.replace(/\b(query|body|path)\.(?=[\w.]+: )/g, ''), problem)
}

function search(query: Query): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}
