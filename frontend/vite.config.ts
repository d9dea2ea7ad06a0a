import { readFileSync } from 'node:fs'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { notice } from './notice.ts'

// Where `npm run dev` finds the arena's API.
const ARENA = process.env.HEXARENA_URL ?? 'http://127.0.0.1:8000'

// The API's documentation page (backend/api/docs.py) loads these by name, and nothing from anywhere else.
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

export default defineConfig({
  plugins: [svelte({ configFile: false }), swagger(), notice()],
  resolve: {
    // What a game's viewer.ts may import: the plug-in interface and its drawing helpers.
    alias: { $viewer: new URL('./src/viewer', import.meta.url).pathname },
  },
  build: {
    target: 'es2022',
    assetsInlineLimit: 1024,
    chunkSizeWarningLimit: 400,
    // A slow machine is no fault of the build.
    rollupOptions: { checks: { pluginTimings: false } },
  },
  server: {
    proxy: { '/api': ARENA, '/viewers': ARENA },
    fs: { allow: ['.', '../games'] },
  },
  test: { include: ['tests/**/*.test.ts'], environment: 'node' },
})
