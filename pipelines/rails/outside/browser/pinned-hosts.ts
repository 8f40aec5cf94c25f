/**
 * The dialled address of each host of a page, or the reason why it was not reached. All connections to one host go to
 * one address.
 */
import type { Socket } from 'node:net'
import { parseIpAddress } from '../../../../schemas/values/ip-address.ts'
import { hostOf, portOf, publicAddresses, readPublicUrl, usualRules } from '../fetching/address.ts'
import { dial, type Reach } from '../fetching/dial.ts'
import type { Resolve } from '../fetching/resolver.ts'
import { NotPublic, VisitFailed } from '../fetching/visit-failures.ts'

export class PinnedHosts {
  readonly #resolve: Resolve
  readonly #reach: Reach | undefined
  readonly #pinned = new Map<string, string>()
  readonly #failures = new Map<string, NotPublic | VisitFailed>()

  constructor(resolve: Resolve, reach: Reach | undefined) {
    this.#resolve = resolve
    this.#reach = reach
  }

  addressOf(host: string): string | undefined {
    return this.#pinned.get(host)
  }

  failureOf(host: string): NotPublic | VisitFailed | undefined {
    return this.#failures.get(host)
  }

  async dial(text: string, signal: AbortSignal): Promise<Socket> {
    const host = URL.canParse(text) ? hostOf(new URL(text)) : text
    try {
      const url = readPublicUrl(text, usualRules)
      const pin = parseIpAddress(this.#pinned.get(hostOf(url)) ?? '')
      const addresses = pin ? [pin] : await publicAddresses(url, this.#resolve, signal)
      const target = { host: hostOf(url), addresses, port: portOf(url), secure: false }
      const { socket, address } = await dial(target, signal, { reach: this.#reach })
      this.#pinned.set(hostOf(url), address)
      return socket
    } catch (error) {
      // The browser learns only that it failed. The caller gets the reason.
      const known = error instanceof NotPublic || error instanceof VisitFailed
      this.#failures.set(
        host,
        known ? error : new VisitFailed('timeout', `${host} takes no connection in time`),
      )
      throw error
    }
  }
}
