/* Writes FILE.br beside each FILE, compressed as small as Brotli can: `node brotli.mjs FILE…`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'

for (const file of process.argv.slice(2)) {
  const content = readFileSync(file)
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }))
}
