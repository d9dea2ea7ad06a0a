/* Builds dist/server/picture.mjs, with which the server draws a moment of a match: all viewers and fonts in one file. */
import { defineConfig } from 'vite'

export default defineConfig({
  publicDir: false,
  resolve: { alias: { $viewer: new URL('./src/viewer', import.meta.url).pathname } },
  build: {
    outDir: 'dist/server',
    target: 'node20',
    ssr: 'src/picture/main.ts',
    assetsInlineLimit: () => true,
    rollupOptions: {
      output: { entryFileNames: 'picture.mjs', codeSplitting: false },
      checks: { pluginTimings: false },
    },
  },
})
