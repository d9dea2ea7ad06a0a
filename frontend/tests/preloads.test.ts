import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PAGES, preloadsOf } from '../preloads.ts'
import { routeOf } from '../src/lib/routes.ts'

const app = readFileSync(new URL('../src/App.svelte', import.meta.url), 'utf8')

test.each(Object.entries(PAGES))('at %s the named page is shown', (address, [page]) => {
  const shown = routeOf(address.replace('*', '1')).page
  const loads = new RegExp(`route\\.page === '${shown}'}\\s*{#await import\\('\\./([^']*)'\\)`).exec(app)
  expect(loads?.[1]).toBe(page)
})

const css = (...files: string[]) => ({ importedCss: new Set(files) })
const chunk = (fileName: string, moduleIds: string[], imports: string[], more = {}) => ({ type: 'chunk', fileName, moduleIds, imports, ...more })

test('a page has its chunk, what that imports, and the style sheets, but nothing that index.html names', () => {
  const pages = Object.values(PAGES).flat().filter((page) => page !== 'pages/Home.svelte')
  const bundle = {
    'index.js': chunk('index.js', ['/f/src/main.ts'], ['base.js'], { isEntry: true, viteMetadata: css('index.css') }),
    'base.js': chunk('base.js', ['/f/src/App.svelte'], []),
    'home.js': chunk('home.js', ['/f/src/pages/Home.svelte'], ['base.js', 'board.js'], { viteMetadata: css('home.css', 'index.css') }),
    'board.js': chunk('board.js', ['/f/src/viewer/Stage.svelte'], ['base.js'], { viteMetadata: css('board.css') }),
    'other.js': chunk('other.js', pages.map((page) => `/f/src/${page}`), []),
    'ants.js': chunk('ants.js', ['/games/ants/viewer.ts'], ['base.js']),
    'a/text-x.woff2': { type: 'asset' },
  } as unknown as Parameters<typeof preloadsOf>[0]
  const found = preloadsOf(bundle)
  expect(found.pages['/']).toEqual(['/home.js', '/board.js', '/home.css', '/board.css'])
  expect(found.viewers).toEqual({ ants: ['/ants.js'] })
  expect(found.all).toEqual(['/a/text-x.woff2'])
  const { 'other.js': _, ...without } = bundle
  expect(() => preloadsOf(without)).toThrow('pages/GamePage.svelte')
})
