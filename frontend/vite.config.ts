import { readFileSync } from 'node:fs'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { notice } from './notice.ts'
import { preloads } from './preloads.ts'

// Where `npm run dev` finds the arena's API.
const ARENA = process.env.HEXARENA_URL ?? 'http://127.0.0.1:8000'

// The API's documentation page (backend/api/routes/docs.py) loads these by name, and nothing from anywhere else.
const SWAGGER = ['swagger-ui-bundle.js', 'swagger-ui.css']

function swagger(): Plugin {
  const folder = 'node_modules/swagger-ui-dist'
  return {
    name: 'hexarena:swagger',
    apply: 'build',
    generateBundle() {
      SWAGGER.forEach((file, index) => {
        const source = readFileSync(new URL(`./${folder}/${file}`, import.meta.url))
        // The notice names the package of each original file: once is enough.
        const originalFileName = index === 0 ? `${folder}/${file}` : undefined
        this.emitFile({ type: 'asset', fileName: `vendor/${file}`, source, originalFileName })
      })
    },
  }
}

/** Parts of Svelte that the home page does without. */
const FORMS = /svelte\/src\/.*\/(bindings\/input|transitions|html|svelte-element)\.js$/
// What pages share, in few files: each file is a request, whose headers are as long as a small module. A module is in the
// first group that wants it, with all that it imports; what no group wants, the bundler divides by itself.
const GROUPS = [
  { name: 'forms', test: FORMS, includeDependenciesRecursively: false },
  { name: 'base', test: /src\/(App\.svelte|components\/Await\.svelte|lib\/resource|viewer\/hooks)/ },
  { name: 'board', test: /src\/viewer\/MiniBoard\.svelte/ },
  { name: 'match', test: /src\/lib\/(titles|panes|compare|in-person|rerun|embed|results)|components\/(ReasonForm|Splitter|VoidAttempts)|svelte\/src\/reactivity/ },
  { name: 'viewer', test: /src\/viewer\/Viewer\.svelte/ },
]

export default defineConfig({
  plugins: [svelte({ configFile: false }), swagger(), notice(), preloads()],
  resolve: {
    // What a game's viewer.ts may import: the plug-in interface and its drawing helpers.
    alias: { $viewer: new URL('./src/viewer', import.meta.url).pathname },
  },
  build: {
    target: 'es2022',
    assetsInlineLimit: 1024,
    chunkSizeWarningLimit: 400,
    // All browsers that run the target load modules ahead, or do without.
    modulePreload: { polyfill: false },
    rollupOptions: {
      // A slow machine is no fault of the build.
      checks: { pluginTimings: false },
      output: { codeSplitting: { groups: GROUPS } },
      treeshake: { moduleSideEffects: [{ test: FORMS, sideEffects: false }] },
    },
  },
  server: {
    proxy: { '/api': ARENA, '/viewers': ARENA },
    fs: { allow: ['.', '../games'] },
  },
  // The tests are of functions that share no state; a process of its own for each file took more than half of their time.
  // What loads the editor, or all modules, takes long on a busy machine.
  test: { include: ['tests/**/*.test.ts'], environment: 'node', isolate: false, testTimeout: 60_000, hookTimeout: 300_000 },
})
