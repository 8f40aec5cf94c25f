/** A free route, a page, a variable, a worker, an alert and a chain, for the test of CONTRIBUTING.md. */
import { type AddedPart, listed } from './added-part.ts'

const route: AddedPart = {
  names: { origin: 'data', room: 'tide', route: 'harbours' },
  steps: {
    'services/origins/<origin>/<room>/<route>.ts': `
import { z } from 'zod'
import { defineFree } from '../../../offer/operation.ts'
export const harbours = defineFree({
  id: 'harbours', path: '/harbours', method: 'GET', perMinute: 60, title: 'Harbours', about: 'The harbours that /tide knows.',
  tags: ['tide'], request: z.strictObject({}), response: z.strictObject({ harbours: z.array(z.string()) }), refusals: {},
  example: { request: {}, response: { harbours: ['Brest'] } },
  answer: () => ({ harbours: ['Brest'] }),
})
`,
    'services/origins/<origin>/origin.ts': listed('./tide/harbours.ts', 'harbours', /free: \[/),
    'test/services/origins/<origin>/<route>.test.ts': `
import { expect, it } from 'vitest'
import { harbours } from '../../../../services/origins/data/tide/harbours.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { ask } from '../ask.ts'
it('names the harbours', async () => {
  expect(await ask(harbours, {}, { shelf: new Shelf(Date.now), now: Date.now })).toEqual({ harbours: ['Brest'] })
})
`,
  },
  shown: { 'services/client/operations.ts': /harbours: \{ method: 'GET'/ },
}

const page: AddedPart = {
  names: { origin: 'data', room: 'tide', page: 'chart' },
  steps: {
    'services/origins/<origin>/<room>/<page>.ts': `
import type { OriginPage } from '../../../offer/origin.ts'
export const chart: OriginPage = { path: '/tide/chart', answer: () => ({ type: 'text/plain', body: 'Brest' }) }
`,
    'services/origins/<origin>/origin.ts': listed('./tide/chart.ts', 'chart', /pages: \[/),
    'test/services/origins/<origin>/<page>.test.ts': `
import { expect, it } from 'vitest'
import { chart } from '../../../../services/origins/data/tide/chart.ts'
it('shows every harbour', async () => {
  expect(await chart.answer({} as never, {} as never)).toEqual({ type: 'text/plain', body: 'Brest' })
})
`,
  },
  shown: {},
}

const variable: AddedPart = {
  names: { VARIABLE: 'LOW_WATER' },
  steps: {
    'services/config/environment.ts': text =>
      text.replace(
        /^ {2}LOG_LEVEL: /m,
        "  LOW_WATER: positive('metres, above 0').default(1).describe('the depth that a warning is given at'),\n$&",
      ),
    'deploy/compose.yaml': text =>
      text.replace(/^( +)LOG_LEVEL: .+\n/m, (line, indent) => `${line}${indent}LOW_WATER: $\{LOW_WATER:-}\n`),
    'test/services/config/config.test.ts': text =>
      text
        .replace("    ['PORT', 'eighty'],\n", "$&    ['LOW_WATER', 'shallow'],\n")
        .replace(
          '      PORT: 8402,\n',
          '$&      LOW_WATER: 1 satisfies ReturnType<typeof readConfig>["LOW_WATER"],\n',
        ),
  },
  shown: { 'deploy/README.md': /^\| `LOW_WATER` \| `1` \| the depth/m },
}

const worker: AddedPart = {
  names: { worker: 'bells' },
  steps: {
    'pipelines/workers/<worker>.ts': `
import type { Worker } from './worker.ts'
export const bells: Worker = {
  part: 'bells', role: 'ingest',
  open({ tell }) {
    tell('ding')
    return { ended: new Promise(() => {}), close: async () => {} }
  },
}
`,
    'pipelines/workers/index.ts': listed('./bells.ts', 'bells', /Worker\[\] = \[/),
    'test/pipelines/workers/<worker>.test.ts': `
import { expect, it } from 'vitest'
import { bells } from '../../../pipelines/workers/bells.ts'
import { processOf } from '../../a-process.ts'
it('rings', async () => {
  const told: string[] = []
  const running = await bells.open(processOf({ tell: line => told.push(line) }))
  expect(told).toEqual(['ding'])
  await running.close()
})
`,
  },
  shown: {},
}

const alert: AddedPart = {
  names: { Alert: 'WatchedTooMany' },
  steps: {
    'deploy/alerts.yaml': text =>
      text.replace(
        /^ {2}- name: facts\n {4}rules:\n/m,
        `$&      - alert: WatchedTooMany
        expr: max(farebox_endpoints_watched) > 1e6
        labels: { severity: warning }
        annotations:
          summary: A million endpoints are watched
          description: One process checks them all.
          runbook: deploy/README.md#watchedtoomany
`,
      ),
    'deploy/README.md': text => text.replace(/^#### \w+$/m, '#### WatchedTooMany\n\nRaise the price.\n\n$&'),
    'test/deploy/alerts.yaml': text =>
      text.replace(
        /^tests:\n/m,
        `$&  - name: many watched endpoints
    interval: 1m
    input_series: [{ series: "farebox_endpoints_watched", values: "2000000x9" }]
    alert_rule_test:
      - alertname: WatchedTooMany
        eval_time: 5m
        exp_alerts:
          - exp_labels: { severity: warning }
            exp_annotations:
              summary: A million endpoints are watched
              description: One process checks them all.
              runbook: deploy/README.md#watchedtoomany
`,
      ),
  },
  shown: {},
}

const chain: AddedPart = {
  names: { chain: 'atoll' },
  steps: {
    'schemas/tables/chains.ts': text =>
      text.replace(
        /^export const chains = \{\n/m,
        `$&  atoll: {
    family: 'evm', title: 'Atoll', rpc: 'ATOLL_RPC_URL', chainId: 424_243, blockMs: 2000, native: ether,
    usdc: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', usdt: null,
  },\n`,
      ),
    'pipelines/domains/chain/evm/chains/<chain>.ts': `
import { chains } from '../../../../../schemas/tables/chains.ts'
import { coin, dollar, type EvmMarket, v2Fee } from '../market.ts'
const wrapped = '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270'
export const atoll: EvmMarket = {
  wrapped,
  quotes: [dollar('USDC', chains.atoll.usdc), coin('WATL', wrapped)],
  factories: [
    {
      kind: 'uniswap_v2',
      address: '0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C',
      router: '0xa5E0829CaCEd8fFDD4De3c43696c57F7D7A678ff',
      fee: v2Fee,
    },
  ],
}
`,
    'pipelines/domains/chain/evm/chains/index.ts': listed('./atoll.ts', 'atoll', /EvmMarket>> = \{/),
    'pipelines/domains/chain/known-tokens.json': text =>
      text.replace(/"tokens": \{\n/, '$&    "atoll": {},\n'),
  },
  shown: { 'deploy/README.md': /ATOLL_RPC_URL/, 'deploy/compose.yaml': /ATOLL_RPC_URL/ },
}

export const addedSmallParts: Record<string, AddedPart> = {
  'A free route': route,
  'A page': page,
  'A variable': variable,
  'A worker': worker,
  'An alert': alert,
  'A chain of `/chain`': chain,
}
