/**
 * Resolves names by DNS only. A hosts file or a search list could turn a stranger's name into one of our own network.
 */
import { Resolver } from 'node:dns/promises'
import { VisitFailed } from './visit-failures.ts'

/** Resolves with every address of a name, as text. Rejects with VisitFailed if the name has none. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>

/** `servers` are written as `host` or `host:port`. If absent, the servers of this machine. */
export function dnsResolver(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  if (servers) resolver.setServers(servers)
  return async (name, signal) => {
    const asked = Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const answers = await Promise.race([asked, aborted(signal)])
    const found = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const codes = answers.map(answer => (answer.status === 'rejected' ? answer.reason.code : undefined))
    // Many names have addresses of one family only, so the error of the other family says more.
    const code = codes.find(code => code !== 'ENODATA') ?? 'ENODATA'
    throw new VisitFailed('dns', `${name} has no address: ${code}`)
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  if (signal.aborted) reject(signal.reason)
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}
