/** The real server in front of a till, for operations without views and lookups. */

import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { type Attesting, attestations } from '../../../pipelines/domains/attestation/attestor.ts'
import { NotReady, UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { given, Opened } from '../../../pipelines/rails/process.ts'
import type { Tools } from '../../../services/offer/operation.ts'
import type { OpenOrigin, ServedPage } from '../../../services/offer/origin.ts'
import type { Tariff } from '../../../services/offer/tariff.ts'
import { Callers } from '../../../services/query/callers.ts'
import { Door } from '../../../services/query/door/door.ts'
import type { Selling } from '../../../services/query/mcp/call.ts'
import type { Challenges } from '../../../services/query/mpp/challenges.ts'
import type { Counter } from '../../../services/query/purchase.ts'
import { type App, buildServer } from '../../../services/query/server.ts'
import type { Signer } from '../../../services/query/signing/signer.ts'
import type { Till } from '../../../services/till/till.ts'

export interface Serving {
  app: App
  url: string
  port: number
  /** All log lines of the process. */
  logged: string[]
}

export async function serve(
  till: Till,
  origins: readonly OpenOrigin[],
  {
    perMinute = 1e6,
    rateNow = Date.now,
    pages = [],
    checkAnswers = true,
    find = () => Promise.reject(new UpstreamFailed('no lookups here')),
    door = new Door(Date.now),
    trials,
    trustProxy = false,
    signer,
    challenges,
    attesting,
    tools,
    unreadMs,
    partingMs,
    prices,
  }: {
    prices?: Tariff | undefined
    perMinute?: number | undefined
    /** The clock of the rate. */
    rateNow?: (() => number) | undefined
    pages?: readonly ServedPage[] | undefined
    checkAnswers?: boolean | undefined
    find?: Tools['find'] | undefined
    trustProxy?: boolean | undefined
    signer?: Signer | undefined
    challenges?: Challenges | undefined
    attesting?: Attesting | undefined
    /** Replaces tools that are empty. */
    tools?: Partial<Tools> | undefined
    door?: Door | undefined
    unreadMs?: number | undefined
    partingMs?: number | undefined
    /** Opens /mcp too. */
    trials?: Pick<Selling, 'trials' | 'record'> | undefined
  } = {},
): Promise<Serving> {
  const logged: string[] = []
  const counter: Counter = {
    signer,
    challenges,
    till,
    callers: Callers.open(perMinute, rateNow),
    door,
    checkAnswers,
    tools: {
      now: Date.now,
      view: () => {
        throw new NotReady('no views here')
      },
      find,
      look: async () => undefined,
      lookAll: async () => [],
      ownHosts: new Set(),
      credit: ({ credit }, text = credit) => text,
      isSample: () => false,
      watched: new Map(),
      use: part => new Opened([given(attestations, attesting)]).of(part),
      ...tools,
    },
  }
  const app = buildServer({
    pages,
    origins,
    contact: 'ops@farebox.example',
    prices,
    counter,
    mcp: trials && {
      selling: { ...counter, ...trials },
      catalog: () => ({
        operations: origins.flatMap(({ operations }) => operations.map(({ path }) => path)),
      }),
      info: async () => ({ health: { live: true } }),
    },
    now: Date.now,
    trustProxy,
    ...(unreadMs && { unreadMs }),
    ...(partingMs && { partingMs }),
    logger: pino({ level: 'info' }, { write: line => void logged.push(line) }),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return { app, port, url: `http://127.0.0.1:${port}`, logged }
}
