/** URLs of callers, each in one form. */
import { readPublicUrl } from '../../rails/outside/fetching/address.ts'
import { sha256 } from '../../rails/signing/sha256.ts'

/** The name of an endpoint everywhere: its whole URL without a fragment. Throws NotPublic. */
export const watchedUrl = (text: string): string => readPublicUrl(text).href

export const endpointOf = (url: string): string => sha256(url)

/** The first fields of every row about an endpoint. */
export function rowOf(url: string) {
  const { origin, pathname, hostname } = new URL(url)
  return { endpoint: endpointOf(url), url: origin + pathname, host: hostname }
}

/**
 * Webhooks use https. Names under .sample have no address in public DNS: only tests and the sandbox answer there, and
 * they have no certificates.
 */
export function webhookUrl(text: string): string {
  const isSample = URL.canParse(text) && new URL(text).hostname.endsWith('.sample')
  const schemes = isSample ? ['https', 'http'] : ['https']
  return readPublicUrl(text, { schemes, ports: [443, 80] }).href
}
