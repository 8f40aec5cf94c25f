/** A fetch for a module: it reaches public addresses, and of others only the hosts that the file names. */
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { Agent, fetch as send } from 'undici'
import { portOf, publicAddresses, readPublicUrl } from '../../../pipelines/rails/outside/fetching/address.ts'
import { dnsResolver } from '../../../pipelines/rails/outside/fetching/resolver.ts'

const mostRedirects = 5
const redirects = [301, 302, 303, 307, 308]
const resolveMs = 5_000
const resolve = dnsResolver()

/** What is dialled is what has been checked. */
const guarded = new Agent({
  connect: {
    lookup(hostname, _, found) {
      publicAddresses(new URL(`http://${hostname}`), resolve, AbortSignal.timeout(resolveMs)).then(
        addresses =>
          found(
            null,
            addresses.map(({ text, family }): LookupAddress => ({ address: text, family })),
          ),
        error => found(error, []),
      )
    },
  },
})
const trusted = new Agent({ connect: { lookup: systemLookup as never } })

export const safeFetch = (hosts: readonly string[]): typeof fetch =>
  (async (input: string | URL | Request, init: RequestInit = {}) => {
    const request = new Request(input, { ...init, redirect: 'manual' })
    let url = new URL(request.url)
    for (let hops = 0; ; hops++) {
      const isOurs = hosts.includes(url.origin)
      if (!isOurs)
        url = readPublicUrl(url.href, { schemes: ['https', 'http'], ports: [443, 80, portOf(url)] })
      const { method, headers } = request
      const body = hops === 0 && request.body ? await request.clone().arrayBuffer() : undefined
      const response = await send(url, {
        method: hops === 0 ? method : 'GET',
        // A secret is for the host that it was written for.
        headers: hops === 0 ? Object.fromEntries(headers) : {},
        ...(body && { body }),
        redirect: 'manual',
        signal: request.signal as never,
        dispatcher: isOurs ? trusted : guarded,
      })
      const next = response.headers.get('location')
      if (init.redirect === 'manual' || !redirects.includes(response.status) || next === null) return response
      await response.body?.cancel()
      if (hops === mostRedirects || init.redirect === 'error' || (method !== 'GET' && method !== 'HEAD'))
        throw new TypeError('it redirects')
      url = new URL(next, url)
    }
  }) as unknown as typeof fetch
