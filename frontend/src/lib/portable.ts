/* A replay as one HTML file that opens without a network: the built page replay.html with the replay's lines inside. */

const PLACE = '<script type="application/x-ndjson" id="replay"></script>'
const TITLE = '<title>A match</title>'
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * The page with a replay in it. `template`: what /replay.html is; `replay`: its lines, JSON each; `viewer`: the module of a
 * viewer that is not part of the page, as `backend/runtime/pages.py` puts it there, too. Throws an Error where the template has no place for it.
 */
export function portablePage(template: string, replay: string, title: string, viewer: string | null = null): string {
  if (!template.includes(PLACE) || !template.includes(TITLE)) throw new Error('Expected the page replay.html of this version.')
  // In JSON a < can only be within a string; written so, no bot's text ends the script.
  const lines = replay.replaceAll('<', '\\u003c')
  const safeTitle = title.replace(/[&<>]/g, (character) => ESCAPES[character]!)
  // Within a script, these would end or hide it; \x3C is the same character in any string or template.
  const module = viewer?.replaceAll('</script', '\\x3C/script').replaceAll('<!--', '\\x3C!--')
  const carried = module === undefined ? '' : `\n<script type="text/plain" id="viewer">\n${module}\n</script>`
  return template
    .replace(PLACE, () => PLACE.replace('></', () => `>\n${lines.trim()}\n</`) + carried)
    .replace(TITLE, () => `<title>${safeTitle}</title>`)
}

/** The built page that a replay is put into. */
export async function readTemplate(): Promise<string> {
  const answer = await fetch('/replay.html')
  if (!answer.ok) throw new Error(`The arena has no page for this: ${answer.status}.`)
  return answer.text()
}

/** Offers something as a file to keep. */
export function offerFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
