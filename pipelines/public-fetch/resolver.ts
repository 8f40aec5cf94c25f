/** Names to addresses, by DNS alone: no hosts file, and no search list that would make a stranger's name one of ours. */
import { Resolver } from 'node:dns/promises'
import { VisitFailed } from './failures.ts'

/** Every address of a name, as text. Rejects with VisitFailed where there is none to be had. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>

/** `servers` as `host` or `host:port`; those of this machine where they are left out. */
export function dnsResolver(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  if (servers) resolver.setServers(servers)
  return async (name, signal) => {
    const asked = Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const answers = await Promise.race([asked, aborted(signal)])
    const found = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const codes = answers.map(answer => (answer.status === 'rejected' ? answer.reason.code : undefined))
    // That one family is absent says less than why the other one is.
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
