/** The real server on a real till and log, selling an echo; the facilitator behind it says what the test wants. */
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { NotReady, UpstreamFailed } from '../../../pipelines/outside.ts'
import { Callers } from '../../../services/query/callers.ts'
import type { Operation } from '../../../services/query/operation.ts'
import { type App, buildServer, type Page } from '../../../services/query/server.ts'
import { openTill, type Till } from '../../../services/till/till.ts'
import { scratchFolder } from '../../scratch.ts'
import { echo, header, type Signed, shout, signed } from '../till/paying.ts'
import { type StubFacilitator, startStubFacilitator } from '../till/stub-facilitator.ts'
import { openTestLog, options } from '../till/tills.ts'

export interface Selling {
  url: string
  port: number
  app: App
  till: Till
  facilitator: StubFacilitator
  /** Every word that was given to the log of the process. */
  logged: string[]
  ask(more?: {
    path?: string
    body?: string
    headers?: Record<string, string>
    method?: string
  }): Promise<Response>
  pay(
    payment?: Signed,
    more?: { path?: string; body?: string; headers?: Record<string, string> },
  ): Promise<Response>
}

export async function openSelling(
  more: { perMinute?: number; operations?: Operation[]; pages?: Page[] } = {},
): Promise<Selling> {
  const facilitator = await startStubFacilitator()
  const log = await openTestLog(scratchFolder())
  const operations = more.operations ?? [echo, shout]
  const till = await openTill(options(log, facilitator.url, { operations }))
  const logged: string[] = []
  const app = buildServer({
    pages: more.pages ?? [],
    operations,
    counter: {
      till,
      callers: new Callers(more.perMinute ?? 1e6, Date.now),
      tools: {
        now: Date.now,
        view: () => {
          throw new NotReady('no views here')
        },
        find: () => Promise.reject(new UpstreamFailed('no lookups here')),
        look: async () => undefined,
        lookAll: async () => [],
        ownHost: 'farebox.dev',
        credit: (_upstream, text) => text,
      },
    },
    trustProxy: false,
    logger: pino({ level: 'info' }, { write: line => void logged.push(line) }),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  onTestFinished(async () => {
    await app.close()
    await till.close()
    await log.close()
    await facilitator.close()
  })
  const ask: Selling['ask'] = ({ path = '/echo', body, headers = {}, method = 'POST' } = {}) =>
    fetch(url + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
    })
  return {
    url,
    port,
    app,
    till,
    facilitator,
    logged,
    ask,
    async pay(payment, { path = '/echo', body = '{}', headers = {} } = {}) {
      return ask({
        path,
        body,
        headers: { 'payment-signature': header(payment ?? (await signed())), ...headers },
      })
    },
  }
}
