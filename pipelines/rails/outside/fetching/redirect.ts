/** Reads where a redirect leads, and makes the request for that place. */
import type { IncomingMessage } from 'node:http'
import { type AddressRules, readPublicUrl } from './address.ts'
import type { FetchAsked } from './ask.ts'
import { NotPublic } from './visit-failures.ts'

const statuses = [301, 302, 303, 307, 308]

/** Undefined if this answer is not a redirect. */
export function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  if (!statuses.includes(statusCode) || headers.location === undefined) return undefined
  // Node reads headers as Latin-1, but servers send UTF-8.
  return Buffer.from(headers.location, 'latin1').toString('utf8')
}

/** Throws NotPublic, as for a URL that a caller gave. */
export function redirected(location: string, from: URL, rules: AddressRules): URL {
  try {
    return readPublicUrl(URL.canParse(location, from) ? new URL(location, from).href : location, rules)
  } catch (error) {
    if (!(error instanceof NotPublic)) throw error
    throw new NotPublic(error.reason, `${from.hostname} redirects to a forbidden address: ${error.message}`)
  }
}

/** Follows as browsers do: it sends a form only once, and sends headers and body only to the named origin. */
export function askedNext({ accept, ...asked }: FetchAsked, status: number, from: URL, to: URL): FetchAsked {
  const next: FetchAsked = accept === undefined ? {} : { accept }
  const turnsToGet = asked.method === 'POST' && status < 307
  return from.origin === to.origin && !turnsToGet ? { ...asked, ...next } : next
}
