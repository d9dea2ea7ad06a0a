/* An arena without isolation takes writes only from the user who started it. The address that it prints at its start ends
   in #local=…: a fragment, which no browser sends anywhere. It is kept for this address and port, unlike a cookie. */
import { keep, readKept } from './storage'

const KEY = 'local-token'
const HEADER = 'X-Hexarena-Local'

/** The token in an address's fragment. */
export function tokenIn(hash: string): string | null {
  return /^#local=([\w-]{20,100})$/.exec(hash)?.[1] ?? null
}

/** Takes the token out of the address, where it would be copied and bookmarked. */
export function keepToken(): void {
  const token = tokenIn(location.hash)
  if (token === null) return
  history.replaceState(null, '', location.pathname + location.search)
  keep(KEY, token)
}

/** What a write sends along: nothing, unless there is a token. */
export function localHeaders(): Record<string, string> {
  const token = readKept(KEY)
  return token === null ? {} : { [HEADER]: token }
}
