/*
 * Writes dist/preloads.json: the built files of each page and of each game's viewer. The server names them in the page's
 * HTML (backend/api/pages/preloads.py), so that the browser asks for all of them at once and not for one after the other.
 */
import type { Plugin, Rolldown } from 'vite'

/** Address, with a star for its last part -> modules of src/ that the page at it always loads. The page itself is the first. */
export const PAGES: Record<string, [page: string, ...more: string[]]> = {
  '/': ['pages/Home.svelte'],
  '/games/*': ['pages/GamePage.svelte'],
  '/play/*': ['pages/Play.svelte', 'editor/editor.ts'],
  '/in-person/*': ['pages/InPerson.svelte'],
  '/matches': ['pages/Matches.svelte'],
  '/matches/*': ['pages/MatchPage.svelte'],
  '/embed/matches/*': ['pages/Embed.svelte'],
  '/bots': ['pages/Bots.svelte'],
  '/bots/*': ['pages/BotPage.svelte'],
  '/people/*': ['pages/Person.svelte'],
  '/duels': ['pages/Duels.svelte'],
  '/duels/*': ['pages/DuelPage.svelte'],
  '/events': ['pages/Events.svelte'],
  '/events/*': ['pages/EventPage.svelte'],
  '/classes': ['pages/Classes.svelte'],
  '/classes/*': ['pages/ClassPage.svelte'],
  '/account': ['pages/Account.svelte'],
  '/status': ['pages/Status.svelte'],
}
const VIEWER = /\/games\/(\w+)\/viewer\.ts$/
/** The font of all text. That of figures and code comes later, and is half as large. */
const FONT = /\/text-[^/]*\.woff2$/

export interface Preloads {
  /** On every page. */
  all: string[]
  pages: Record<string, string[]>
  /** By game. */
  viewers: Record<string, string[]>
}
type Bundle = Record<string, Rolldown.OutputChunk | Rolldown.OutputAsset>

/** Throws an Error for a module that is in no chunk. */
export function preloadsOf(bundle: Bundle): Preloads {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
  const known = new Set(filesOf(chunks.filter((chunk) => chunk.isEntry), bundle))
  const found = (module: string): Rolldown.OutputChunk => {
    const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/src/${module}`)))
    if (!chunk) throw new Error(`Expected a chunk with ${module}.`)
    return chunk
  }
  const fresh = (of: Rolldown.OutputChunk[]): string[] => filesOf(of, bundle).filter((file) => !known.has(file))
  const pages = Object.entries(PAGES).map(([address, modules]) => [address, fresh(modules.map(found))])
  const viewers = chunks.flatMap((chunk) => chunk.moduleIds.filter((id) => VIEWER.test(id)).map((id) => [VIEWER.exec(id)![1]!, fresh([chunk])]))
  const all = Object.keys(bundle).filter((file) => FONT.test(file)).map((file) => `/${file}`)
  return { all, pages: Object.fromEntries(pages), viewers: Object.fromEntries(viewers) }
}

/** Addresses of the chunks, of what they import at once, and of their style sheets. */
function filesOf(chunks: Rolldown.OutputChunk[], bundle: Bundle): string[] {
  const reached = new Set(chunks)
  for (const chunk of reached)
    for (const name of chunk.imports) {
      const imported = bundle[name]
      if (imported?.type === 'chunk') reached.add(imported)
    }
  const styles = [...reached].flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])])
  return [...[...reached].map(({ fileName }) => fileName), ...new Set(styles)].map((file) => `/${file}`)
}

export function preloads(): Plugin {
  return {
    name: 'hexarena:preloads',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        this.emitFile({ type: 'asset', fileName: 'preloads.json', source: JSON.stringify(preloadsOf(bundle)) })
      },
    },
  }
}
