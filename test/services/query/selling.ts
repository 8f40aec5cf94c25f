/** The real server on a real till and log, selling an echo; the facilitator behind it says what the test wants. */
import { onTestFinished } from 'vitest'
import type { Operation } from '../../../services/operation.ts'
import type { Page } from '../../../services/origin.ts'
import type { App } from '../../../services/query/server.ts'
import { openTill } from '../../../services/till/open.ts'
import type { Till } from '../../../services/till/till.ts'
import { scratchFolder } from '../../scratch.ts'
import { echo, header, type Signed, shout, signed } from '../till/paying.ts'
import { type StubFacilitator, startStubFacilitator } from '../till/stub-facilitator.ts'
import { openTestLog, options } from '../till/tills.ts'
import { serve } from './serve.ts'

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
  const till = await openTill(options(log, facilitator.url, { products: operations }))
  const { app, port, url, logged } = await serve(till, operations, more)
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
