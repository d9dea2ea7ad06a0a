/* A match in a frame on another site: what that site may say to it, and how it is put there. Pure. */

export type EmbedCommand = { hexarena: 'play' | 'pause' } | { hexarena: 'seek'; turn: number }

/** A message from the site that holds the frame; null for anything else. */
export function commandOf(data: unknown): EmbedCommand | null {
  if (typeof data !== 'object' || data === null) return null
  const { hexarena, turn } = data as Record<string, unknown>
  if (hexarena === 'play' || hexarena === 'pause') return { hexarena }
  if (hexarena === 'seek' && Number.isSafeInteger(turn) && (turn as number) >= 0) return { hexarena, turn: turn as number }
  return null
}

/** The HTML that shows a match on another site. */
export function embedCode(origin: string, match: number, title: string, turn: number | null = null): string {
  const at = turn === null ? '' : `?turn=${turn}`
  const quoted = title.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `<iframe src="${origin}/embed/matches/${match}${at}" title="${quoted}" width="640" height="520" style="border:0" loading="lazy" allow="fullscreen"></iframe>`
}
