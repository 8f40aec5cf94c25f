/** A small web on loopback: one public server, and one for all other addresses, which nobody may reach. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import type { Reach } from '../../../../../pipelines/rails/outside/fetching/dial.ts'
import type { Resolve } from '../../../../../pipelines/rails/outside/fetching/resolver.ts'
import {
  type PublicFetchOptions,
  publicFetch,
} from '../../../../../pipelines/rails/outside/fetching/visit.ts'
import { VisitFailed } from '../../../../../pipelines/rails/outside/fetching/visit-failures.ts'

/** The guard takes this for the address of the public server. */
export const publicAddress = '93.184.216.34'

export interface Web {
  /** The answer of the public server. */
  answer: RequestListener
  /** The number of connections to the public server, and to any other address. */
  visits: number
  strays: number
  /** The answers of DNS for each name. If there are several, each question gets the next one. */
  names: Map<string, string[][]>
  /** The names that DNS was asked for, in order. */
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
    // A connection to any other address counts as a stray.
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
