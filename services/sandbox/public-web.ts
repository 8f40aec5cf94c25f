/** The public web of the sandbox: a few names under `.sample`, each a server on loopback. No other name resolves. */

import type { PublicWeb } from '../../pipelines/rails/outside/fetching/visit.ts'
import { VisitFailed } from '../../pipelines/rails/outside/fetching/visit-failures.ts'

export interface SandboxWeb extends PublicWeb {
  /** Gives a server on loopback a public name. Without a port for https, it answers at the ports of both schemes. */
  place(name: string, port: number, securePort?: number): void
}

export function openPublicWeb(): SandboxWeb {
  const ports = new Map<string, { plain: number; secure: number }>()
  const addresses = new Map<string, string>()
  return {
    place(name, port, securePort = port) {
      // The guard counts these as public addresses. Nothing ever connects to them.
      const address = addresses.get(name) ?? `93.184.216.${addresses.size + 1}`
      addresses.set(name, address)
      ports.set(address, { plain: port, secure: securePort })
    },
    async resolve(name) {
      const address = addresses.get(name)
      if (!address)
        throw new VisitFailed(
          'dns',
          `${name} has no address: the sandbox knows only ${[...addresses.keys()].join(', ')}`,
        )
      return [address]
    },
    reach(address, port) {
      // Port 0 is never open, so an address that nobody has placed ends in a refused connection.
      return { host: '127.0.0.1', port: ports.get(address)?.[port === 443 ? 'secure' : 'plain'] ?? 0 }
    },
  }
}
