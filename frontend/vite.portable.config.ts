/* Builds dist-portable/replay.html: the viewer with all games in one file, into which a replay is put (src/portable). */
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { notice } from './notice.ts'
import { oneFile } from './one-file.ts'

export default defineConfig({
  plugins: [svelte({ configFile: false }), oneFile(), notice()],
  publicDir: false,
  resolve: { alias: { $viewer: new URL('./src/viewer', import.meta.url).pathname } },
  build: {
    outDir: 'dist-portable',
    target: 'es2022',
    assetsInlineLimit: () => true,
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 1000,
    rollupOptions: { input: 'replay.html', output: { codeSplitting: false }, checks: { pluginTimings: false } },
  },
})
