/** A small web on loopback: one server that is public, and everything else, which nobody may reach. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import type { Reach } from '../../../pipelines/public-fetch/dial.ts'
import { VisitFailed } from '../../../pipelines/public-fetch/failures.ts'
import type { Resolve } from '../../../pipelines/public-fetch/resolver.ts'
import { type PublicFetchOptions, publicFetch } from '../../../pipelines/public-fetch/visit.ts'

/** Where the public server lies, as far as the guard knows. */
export const publicAddress = '93.184.216.34'

export interface Web {
  /** What the public server answers. */
  answer: RequestListener
  /** Connections that came to the public server, and to any other address. */
  visits: number
  strays: number
  /** Names, and what they resolve to; several answers are given one after the other. */
  names: Map<string, string[][]>
  /** How often DNS was asked. */
  asked: string[]
  reach: Reach
  resolve: Resolve
  fetch(options?: Partial<PublicFetchOptions>): ReturnType<typeof publicFetch>
}

export const listen = async (server: Server): Promise<number> => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

export async function openWeb(): Promise<Web> {
  const shop = createServer((request, response) => web.answer(request, response))
  const inside = createServer((_, response) => response.end('a secret'))
  shop.on('connection', () => web.visits++)
  inside.on('connection', () => web.strays++)
  const [shopPort, insidePort] = await Promise.all([listen(shop), listen(inside)])
  afterAll(() => {
    for (const server of [shop, inside]) server.close().closeAllConnections()
  })

  const web: Web = {
    answer: (_, response) => response.end('hello'),
    visits: 0,
    strays: 0,
    names: new Map([['shop.sample', [[publicAddress]]]]),
    asked: [],
    // Whatever else is dialled would have been a hit.
    reach: address => ({ host: '127.0.0.1', port: address === publicAddress ? shopPort : insidePort }),
    async resolve(name) {
      web.asked.push(name)
      const answers = web.names.get(name)
      if (!answers?.[0]) throw new VisitFailed('dns', `${name} has no address: ENOTFOUND`)
      return (answers.length > 1 ? answers.shift() : answers[0]) as string[]
    },
    fetch: options =>
      publicFetch({ userAgent: 'Farebox/0.0 (+test)', resolve: web.resolve, reach: web.reach, ...options }),
  }
  return web
}
