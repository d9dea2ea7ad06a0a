/* Builds the viewer of one game as one file, as games from outside the repository have it (build.py). */
import { defineConfig } from 'vite'

const { HEXARENA_VIEWER: source, HEXARENA_VIEWER_ID: id, HEXARENA_VIEWER_INTO: outDir } = process.env
if (!source || !id || !outDir) throw new Error('Expected HEXARENA_VIEWER, a viewer.ts, HEXARENA_VIEWER_ID and HEXARENA_VIEWER_INTO.')

export default defineConfig({
  publicDir: false,
  resolve: { alias: { $viewer: new URL('./src/viewer', import.meta.url).pathname } },
  build: {
    outDir,
    emptyOutDir: false,
    target: 'es2022',
    lib: { entry: source, formats: ['es'], fileName: () => `${id}.js` },
    rollupOptions: { checks: { pluginTimings: false } },
  },
})
