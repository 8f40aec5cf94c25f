/** The real server, till and log sell an echo. The facilitator gives the test's answers. */

import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { Attesting } from '../../../pipelines/domains/attestation/attestor.ts'
import type { FreeRoute, Operation, Tools } from '../../../services/offer/operation.ts'
import type { OpenOrigin, ServedPage } from '../../../services/offer/origin.ts'
import type { Tariff } from '../../../services/offer/tariff.ts'
import type { Door } from '../../../services/query/door/door.ts'
import { recordFree } from '../../../services/query/mcp/trial-receipt.ts'
import { Trials } from '../../../services/query/mcp/trials.ts'
import type { Challenges } from '../../../services/query/mpp/challenges.ts'
import type { App } from '../../../services/query/server.ts'
import type { Signer } from '../../../services/query/signing/signer.ts'
import { openTill, type TillOptions } from '../../../services/till/open-till.ts'
import type { Till } from '../../../services/till/till.ts'
import { scratchFolder } from '../../scratch.ts'
import { originOf } from '../an-origin.ts'
import { echo, header, type Signed, shout, signed } from '../till/paying.ts'
import { type StubFacilitator, startStubFacilitator } from '../till/stub-facilitator.ts'
import type { Log } from '../till/till-options.ts'
import { openTestLog, options } from '../till/tills.ts'
import { serve } from './serve.ts'

export interface Selling {
  url: string
  port: number
  app: App
  till: Till
  facilitator: StubFacilitator
  log: Log
  /** All log lines of the process. */
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
  more: {
    perMinute?: number
    rateNow?: () => number
    checkAnswers?: boolean
    find?: Tools['find']
    operations?: readonly Operation[]
    free?: readonly FreeRoute[]
    origins?: readonly OpenOrigin[]
    pages?: readonly ServedPage[]
    /** Opens /mcp too, with this many free calls a day for all callers together. */
    freeCallsADay?: number
    trustProxy?: boolean
    signer?: Signer
    challenges?: Challenges
    attesting?: Attesting
    tools?: Partial<Tools>
    limits?: TillOptions['limits']
    unreadMs?: number
    partingMs?: number
    prices?: Tariff
    door?: Door
  } = {},
  atEnd: (end: () => Promise<void> | void) => void = onTestFinished,
): Promise<Selling> {
  const facilitator = await startStubFacilitator()
  const log = await openTestLog(scratchFolder(atEnd))
  const { operations = [echo, shout], free = [], origins = [originOf(operations, { free })] } = more
  const till = await openTill(
    options(log, facilitator.url, {
      origins,
      prices: more.prices,
      ...(more.limits && { limits: more.limits }),
    }),
  )
  const trials =
    more.freeCallsADay === undefined
      ? undefined
      : await Trials.open({ log, now: Date.now, mostADay: more.freeCallsADay })
  const { app, port, url, logged } = await serve(till, origins, {
    ...more,
    trials: trials && { trials, record: recordFree(log, Date.now) },
  })
  atEnd(async () => {
    await app.close()
    await trials?.close()
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
    log,
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

/** One server for all tests of a file that sells nothing. */
export function sharedSelling(): () => Selling {
  let selling: Selling
  const ends: (() => Promise<void> | void)[] = []
  beforeAll(async () => {
    selling = await openSelling({}, end => ends.unshift(end))
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })
  return () => selling
}
