/** Where a redirect leads, and what is asked there. */
import type { IncomingMessage } from 'node:http'
import { type AddressRules, readPublicUrl } from './address.ts'
import type { Asked } from './ask.ts'
import { NotPublic } from './failures.ts'

const statuses = [301, 302, 303, 307, 308]

/** undefined: this answer is none. */
export function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  if (!statuses.includes(statusCode) || headers.location === undefined) return undefined
  // Node hands over bytes, which servers fill with UTF-8.
  return Buffer.from(headers.location, 'latin1').toString('utf8')
}

/** Throws NotPublic, as for a URL that a caller gave. */
export function redirected(location: string, from: URL, rules: AddressRules): URL {
  try {
    return readPublicUrl(URL.canParse(location, from) ? new URL(location, from).href : location, rules)
  } catch (error) {
    if (!(error instanceof NotPublic)) throw error
    throw new NotPublic(error.reason, `${from.hostname} redirects to where nobody is sent: ${error.message}`)
  }
}

/** As browsers ask on: a form is sent once, and what was meant for one place goes to no other. */
export function askedNext({ accept, ...asked }: Asked, status: number, from: URL, to: URL): Asked {
  const next: Asked = accept === undefined ? {} : { accept }
  const turnsToGet = asked.method === 'POST' && status < 307
  return from.origin === to.origin && !turnsToGet ? { ...asked, ...next } : next
}
