/** A part of each kind, small and whole: what the test of CONTRIBUTING.md adds to a copy of the project. */

import { domainSeparator } from 'viem'
import { type AddedPart, listed } from './added-part.ts'
import { addedSmallParts } from './added-small-parts.ts'

const dataset: AddedPart = {
  names: { dataset: 'tides' },
  steps: {
    'schemas/<dataset>.ts': `
import { z } from 'zod'
import { defineDataset, field, latest, polledWithin, type RowOf } from './dataset/dataset.ts'
import { Decimal } from './values/values.ts'
const fields = {
  harbour: field(z.string(), 'String', 'The harbour'),
  metres: field(Decimal, 'Decimal(6, 2)', 'High water of today'),
}
type Tide = RowOf<typeof fields>
export const tidesNow = latest<Tide>({
  name: 'tides_now', about: 'High water of each harbour', key: ['harbour'], held: true, source: 'tides', fresh: polledWithin(3_600_000),
})
export const tides = defineDataset({
  name: 'tides', about: 'High water', fields, key: ['harbour'], identity: ['harbour'], views: [tidesNow],
})
`,
    'schemas/index.ts': listed('./tides.ts', 'tides', /Dataset\[\] = \[/),
  },
  shown: { 'schemas/README.md': /\btides_now\b/ },
}

const source: AddedPart = {
  names: { source: 'tides' },
  steps: {
    'pipelines/sources/<source>/upstream.ts': `
import type { Upstream } from '../../rails/outside/upstreams/upstream.ts'
export const harbourOffice: Upstream = {
  variable: 'TIDES_URL', live: 'https://tides.example', title: 'tides', credit: 'The harbour office',
  sample: () => import('../../samples/tides.ts'),
}
`,
    'pipelines/samples/<source>.ts': `
import { pages } from './pages.ts'
export const sample = pages({ '/today': () => 'Brest 6.10' })
`,
    'pipelines/sources/<source>.ts': `
import { tides } from '../../schemas/tides.ts'
import { emit, type Source } from './source.ts'
import { harbourOffice } from './tides/upstream.ts'
export const tidesSource: Source<string> = {
  name: 'tides',
  upstreams: [harbourOffice],
  writes: [tides],
  schedule: '0 * * * *',
  timeoutMs: 10_000,
  silentAfterMs: 7_200_000,
  async *pull(_, outside) {
    const text = (await outside.get(harbourOffice, '/today')).text()
    const [harbour = '', metres = ''] = text.split(' ')
    yield { events: [emit(tides, { harbour, metres })], cursor: text }
  },
}
`,
    'pipelines/sources/index.ts': listed('./tides.ts', 'tidesSource', /SourceNeeds>\[\] = \[/),
    'test/pipelines/sources/<source>.test.ts': `
import { expect, it } from 'vitest'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { tidesSource } from '../../../pipelines/sources/tides.ts'
import { startUpstream } from '../../upstream.ts'
it('reads the tide of today', async () => {
  const { url } = await startUpstream((_, response) => response.end('Brest 6.10'))
  const open = createOutside({ at: { TIDES_URL: url }, contact: 'test', now: Date.now })
  const [page] = await Array.fromAsync(tidesSource.pull(undefined, open(new AbortController().signal), {}))
  expect(page?.events.map(({ event }) => event)).toEqual([{ harbour: 'Brest', metres: '6.10' }])
})
`,
  },
  shown: { 'deploy/README.md': /TIDES_URL/, 'deploy/compose.yaml': /TIDES_URL/ },
}

const lookup: AddedPart = {
  names: { lookup: 'harbour' },
  steps: {
    'pipelines/lookups/<lookup>.ts': `
import { harbourOffice } from '../sources/tides/upstream.ts'
import type { Lookup } from './lookup.ts'
export const harbourLookup: Lookup<string, string> = {
  name: 'harbour',
  timeoutMs: 5_000,
  upstream: harbourOffice,
  open: () => ({
    async find(name, outside) {
      const text = (await outside.get(harbourOffice, '/harbours')).text()
      return text.split(' ').find(each => each === name)
    },
  }),
}
`,
    'pipelines/lookups/index.ts': listed('./harbour.ts', 'harbourLookup', /Lookup\[\] = \[/),
    'test/pipelines/lookups/<lookup>.test.ts': `
import { expect, it } from 'vitest'
import { harbourLookup } from '../../../pipelines/lookups/harbour.ts'
import { startUpstream } from '../../upstream.ts'
import { openFinding } from './finding.ts'
it('finds a harbour, and nothing for what is none', async () => {
  const { url } = await startUpstream((_, response) => response.end('Brest Dover'))
  const { finder } = await openFinding([harbourLookup], { at: { TIDES_URL: url }, datasets: [] })
  expect(await finder.find(harbourLookup, 'Brest')).toBe('Brest')
  expect(await finder.find(harbourLookup, 'Bern')).toBeUndefined()
})
`,
  },
  shown: {},
}

const operation: AddedPart = {
  names: { origin: 'data', room: 'tide', operation: 'tide' },
  steps: {
    'services/origins/<origin>/<room>/<operation>.ts': `
import { z } from 'zod'
import { exact } from '../../../../schemas/values/values.ts'
import { tidesNow } from '../../../../schemas/tides.ts'
import { number } from '../../../offer/answer.ts'
import { defineOperation } from '../../../offer/operation.ts'
export const tide = defineOperation({
  id: 'highWater',
  path: '/tide',
  price: '0.001',
  costs: 'held',
  title: 'High water',
  about: 'High water of today at a harbour.',
  tags: ['tide'],
  request: z.strictObject({ harbour: z.string() }),
  response: z.strictObject({ harbour: z.string(), metres: exact() }),
  refusals: { unknown_harbour: { status: 422, about: 'The harbour office does not know it' } },
  example: { request: { harbour: 'Brest' }, response: { harbour: 'Brest', metres: 6.1 } },
  answer({ harbour }, { view }, refuse) {
    const row = view(tidesNow, undefined).get(harbour)
    if (!row) return refuse('unknown_harbour', \`\${harbour} is not known\`)
    return { harbour, metres: number(row.metres) }
  },
})
`,
    'services/origins/<origin>/origin.ts': listed('./tide/tide.ts', 'tide', /operations: \[/),
    'test/services/origins/<origin>/<operation>.test.ts': `
import { expect, it } from 'vitest'
import { tides } from '../../../../schemas/tides.ts'
import { tide } from '../../../../services/origins/data/tide/tide.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { askText, polled, stock } from '../ask.ts'
import { refusal } from '../refusal.ts'
const shelf = new Shelf(Date.now)
stock(shelf, tides, [{ harbour: 'Brest', metres: '6.10' }])
polled(shelf, 'tides', Date.now())
const asking = { shelf, now: Date.now }
it('answers digit by digit', async () => {
  expect(await askText(tide, { harbour: 'Brest' }, asking)).toBe('{"harbour":"Brest","metres":6.10}')
})
it('unknown_harbour: the harbour office does not know it', async () => {
  expect(await refusal(tide, { harbour: 'Bern' }, asking)).toMatchObject({ status: 422, error: 'unknown_harbour' })
})
`,
  },
  shown: { 'services/README.md': /^\| `POST \/tide` \| High water \| 0\.001 \| `unknown_harbour` \|$/m },
}

const islandDollar = domainSeparator({
  domain: {
    name: 'USD Coin',
    version: '2',
    chainId: 424_242,
    verifyingContract: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  },
})
const network: AddedPart = {
  names: { network: 'island' },
  steps: {
    'schemas/tables/networks.ts': text =>
      text.replace(
        /^export const networks = \{\n/m,
        `$&  island: {
    ...evm, title: 'Island', caip2: 'eip155:424242', asset: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    domain: { name: 'USD Coin', version: '2' }, receipt: 'island', payTo: 'PAY_TO_ISLAND', rpc: 'ISLAND_RPC_URL',
    explorer: 'https://island.example/tx/{tx}', publicNode: { url: 'https://node.island.example', perSecond: 4 }, mostGwei: 1, blockMs: 2000,
  },\n`,
      ),
    'test/schemas/tables/networks.test.ts': text =>
      text.replace(/Record<EvmNetworkName, string> = \{\n/, `$&  island: '${islandDollar}',\n`),
  },
  shown: { 'deploy/README.md': /PAY_TO_ISLAND/, 'deploy/compose.yaml': /ISLAND_RPC_URL/ },
}

const origin: AddedPart = {
  names: { origin: 'sea' },
  steps: {
    'services/origins/<origin>/origin.ts': `
import { defineOrigin } from '../../offer/origin.ts'
export const sea = defineOrigin({
  name: 'sea', title: 'The sea', version: '1.0.0', address: 'SEA_URL', operations: [], free: [], pages: [],
})
`,
    'services/origins/index.ts': listed('./sea/origin.ts', 'sea', /Origin\[\] = \[/),
  },
  shown: { 'services/README.md': /\*\*The sea\*\* \(at `SEA_URL`\)/, 'deploy/compose.yaml': /SEA_URL/ },
}

const litOrigin: AddedPart = {
  names: { origin: 'light', room: 'lamp', part: 'lamp', worker: 'keeper', page: 'beam', KEY: 'LIGHT_KEY' },
  steps: {
    'services/origins/<origin>/<room>/variables.ts': `
import { key } from '../../../../pipelines/rails/environment/kinds.ts'
import { defineVariables } from '../../../../pipelines/rails/environment/variables.ts'
export const lightVariables = defineVariables(
  { LIGHT_KEY: key.optional().describe('lights the lamp; it is dark without') },
  ({ LIGHT_KEY }) => LIGHT_KEY,
)
`,
    'services/origins/<origin>/<room>/<part>.ts': `
import type { Part } from '../../../../pipelines/rails/process.ts'
import { lightVariables } from './variables.ts'
export const lamp: Part<{ isLit: boolean }> = {
  name: 'lamp', open: ({ read }) => ({ isLit: read(lightVariables) !== undefined }),
}
`,
    'services/origins/<origin>/<room>/<worker>.ts': `
import type { Worker } from '../../../../pipelines/workers/worker.ts'
import { lightVariables } from './variables.ts'
export const keeper: Worker = {
  part: 'keeper', role: 'ingest', variables: [lightVariables],
  open({ read, tell }) {
    tell(read(lightVariables) === undefined ? 'dark' : 'lit')
    return { ended: new Promise(() => {}), close: async () => {} }
  },
}
`,
    'services/origins/<origin>/<room>/<page>.ts': `
import type { OriginPage } from '../../../offer/origin.ts'
import { lamp } from './lamp.ts'
export const beam: OriginPage = {
  path: '/light/beam', answer: (_, { use }) => ({ type: 'text/plain', body: use(lamp).isLit ? 'lit' : 'dark' }),
}
`,
    'services/origins/<origin>/origin.ts': `
import { defineOrigin } from '../../offer/origin.ts'
import { beam } from './lamp/beam.ts'
import { keeper } from './lamp/keeper.ts'
import { lamp } from './lamp/lamp.ts'
import { lightVariables } from './lamp/variables.ts'
export const light = defineOrigin({
  name: 'light', title: 'The lighthouse', version: '1.0.0', address: 'LIGHT_URL', operations: [], free: [], pages: [beam],
  variables: [lightVariables], parts: [lamp], workers: [keeper],
})
`,
    'services/origins/index.ts': listed('./light/origin.ts', 'light', /Origin\[\] = \[/),
    'test/services/origins/<origin>/<room>.test.ts': `
import { expect, it } from 'vitest'
import { given, Opened } from '../../../../pipelines/rails/process.ts'
import { checkParts, readConfig } from '../../../../services/config/config.ts'
import { beam } from '../../../../services/origins/light/lamp/beam.ts'
import { keeper } from '../../../../services/origins/light/lamp/keeper.ts'
import { lamp } from '../../../../services/origins/light/lamp/lamp.ts'
import { processOf } from '../../../a-process.ts'
const set = { LIGHT_KEY: \`0x\${'7'.repeat(64)}\` }
const shown = async (env: Record<string, string>) => {
  const opened = new Opened([given(lamp, await lamp.open(processOf({}, env)))])
  return beam.answer({} as never, { use: (part: never) => opened.of(part) } as never)
}
it('is lit by LIGHT_KEY, which nobody is shown', async () => {
  checkParts(readConfig(set))
  expect([await shown(set), await shown({})]).toMatchObject([{ body: 'lit' }, { body: 'dark' }])
  expect(() => readConfig({ LIGHT_KEY: 'hunter2' })).toThrow(/^LIGHT_KEY is something else; it should be a key/)
})
it('has a keeper who tells', async () => {
  const told: string[] = []
  const running = await keeper.open(processOf({ tell: line => told.push(line) }, set))
  expect(told).toEqual(['lit'])
  await running.close()
})
`,
  },
  shown: {
    'deploy/README.md': /^\| `LIGHT_KEY` \| {2}\| lights the lamp/m,
    // Its worker has it, and its sellers.
    'deploy/compose.yaml': /LIGHT_KEY[\s\S]+LIGHT_URL[\s\S]+LIGHT_KEY/,
  },
}

export const addedParts: Record<string, AddedPart> = {
  'A dataset': dataset,
  'A source': source,
  'A lookup': lookup,
  'An operation': operation,
  'A network': network,
  'An origin': origin,
  'An origin with a key, a worker and a page': litOrigin,
  ...addedSmallParts,
}
