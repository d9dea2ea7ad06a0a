/* Puts a page's only script and style sheet into the page. */
import type { Plugin } from 'vite'

const SCRIPT = /<script type="module"[^>]*src="[^"]*"[^>]*><\/script>\s*/
const STYLE = /<link rel="stylesheet"[^>]*>\s*/

/** The page with both inside. Throws an Error where it has no place for them. */
export function inOneFile(page: string, script: string, style: string): string {
  if (!SCRIPT.test(page) || !STYLE.test(page)) throw new Error('Expected a page with one script and one style sheet.')
  // A module runs once the page is read, wherever it stands; only "</script" and "<!--" could end it early.
  const safe = script.replace(/<(?=\/script|!--)/gi, '\\x3c')
  return page
    .replace(STYLE, () => `<style>\n${style.trim()}\n</style>\n`)
    .replace(SCRIPT, '')
    .replace('</body>', () => `<script type="module">\n${safe.trim()}\n</script>\n</body>`)
}

export function oneFile(): Plugin {
  return {
    name: 'hexarena:one-file',
    // After Vite's own last step, which writes what loads a chunk.
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const files = Object.values(bundle)
        const page = files.find((file) => file.type === 'asset' && file.fileName.endsWith('.html'))
        const scripts = files.filter((file) => file.type === 'chunk')
        const styles = files.filter((file) => file.type === 'asset' && file.fileName.endsWith('.css'))
        if (page?.type !== 'asset' || scripts.length !== 1 || styles.length !== 1 || styles[0]!.type !== 'asset') {
          throw new Error(`Expected a page, a script and a style sheet; got ${files.map(({ fileName }) => fileName).join(', ')}.`)
        }
        page.source = inOneFile(String(page.source), scripts[0]!.code, String(styles[0]!.source))
        delete bundle[scripts[0]!.fileName]
        delete bundle[styles[0]!.fileName]
      },
    },
  }
}
