import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

// Where `npm run dev` finds the arena's API.
const ARENA = process.env.HEXARENA_URL ?? 'http://127.0.0.1:8000'

export default defineConfig({
  plugins: [svelte({ configFile: false })],
  resolve: {
    // What a game's viewer.ts may import: the plug-in interface and its drawing helpers.
    alias: { $viewer: new URL('./src/viewer', import.meta.url).pathname },
  },
  build: { target: 'es2022', assetsInlineLimit: 1024, chunkSizeWarningLimit: 400 },
  server: {
    proxy: { '/api': ARENA },
    fs: { allow: ['.', '../games'] },
  },
  test: { include: ['tests/**/*.test.ts'], environment: 'node' },
})
