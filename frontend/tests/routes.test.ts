import { expect, test } from 'vitest'
import { isOwnPath, nextAddress, routeOf, signInAddress, turnAddress, withSearch } from '../src/lib/routes'

test.each([
  ['/', { page: 'home' }],
  ['/games/ants', { page: 'game', game: 'ants' }],
  ['/games/ants/', { page: 'game', game: 'ants' }],
  ['/play/ants', { page: 'play', game: 'ants' }],
  ['/in-person/ants', { page: 'in-person', game: 'ants' }],
  ['/matches', { page: 'matches' }],
  ['/matches/12', { page: 'match', match: 12 }],
  ['/bots', { page: 'bots' }],
  ['/duels', { page: 'duels' }],
  ['/duels/3', { page: 'duel', duel: 3 }],
  ['/bots/7', { page: 'bot', bot: 7 }],
  ['/watch', { page: 'watch' }],
  ['/dev', { page: 'dev' }],
  ['/compare', { page: 'compare' }],
  ['/embed/matches/12', { page: 'embed', match: 12 }],
  ['/diff', { page: 'diff' }],
  ['/account', { page: 'account' }],
  ['/organise', { page: 'organise' }],
  ['/status', { page: 'status' }],
])('%s is a page', (address, route) => {
  expect(routeOf(address)).toEqual(route)
})

test.each(['/nope', '/matches/x', '/matches/0', '/bots/-1', '/games/../x', '/games/A b', '/bots/1/2', '/play'])(
  '%s is none',
  (address) => {
    expect(routeOf(address)).toEqual({ page: 'missing' })
  },
)

test('search parameters are set, changed and left out', () => {
  expect(withSearch('/matches', '', { game: 'ants' })).toBe('/matches?game=ants')
  expect(withSearch('/matches', '?game=ants&mine=true', { game: 'yavalath' })).toBe('/matches?game=yavalath&mine=true')
  expect(withSearch('/matches', '?game=ants', { game: null })).toBe('/matches')
  expect(withSearch('/matches', '?game=ants', { game: '' })).toBe('/matches')
})

test('signing in leads back to where it was asked for', () => {
  expect(signInAddress('/play/ants')).toBe('/account?next=%2Fplay%2Fants')
  expect(nextAddress('?next=%2Fplay%2Fants%3Ffrom%3D3')).toBe('/play/ants?from=3')
})

test.each(['', '?next=', '?next=https://evil.example', '?next=//evil.example', '?next=/%5Cevil.example', '?next=/%09/evil.example', '?next=javascript:alert(1)'])(
  '%s leads nowhere else',
  (search) => {
    expect(nextAddress(search)).toBeNull()
  },
)

test.each(['//evil.example/x', '/\\evil.example/x', '/\t/evil.example/x', '/\n\\evil.example/x', 'https://evil.example/x', 'x', ''])(
  'a path on this server is not %j',
  (address) => {
    expect(isOwnPath(address)).toBe(false)
  },
)

test.each(['/', '/replays/7.jsonl', '/file?name=//x'])('a path on this server is %s', (address) => {
  expect(isOwnPath(address)).toBe(true)
})

test('a link to a turn leads to the match, or to the replay that the page was opened with', () => {
  const watched = { pathname: '/watch', search: '?src=%2Freplay.jsonl&turn=2' }
  expect(turnAddress(undefined, watched, '9')).toBe('/watch?src=%2Freplay.jsonl&turn=9')
  expect(turnAddress(7, { pathname: '/play/ants', search: '?from=3' }, '9')).toBe('/matches/7?turn=9')
})
