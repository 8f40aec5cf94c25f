/** A stand-in for the catalog's discovery API on loopback. Its pages clamp, snap and move as the live ones do. */
import { readFileSync } from 'node:fs'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import type { Outside } from '../../../pipelines/rails/outside/upstreams/outside.ts'
import { catalog } from '../../../pipelines/sources/catalog.ts'
import { type MarketResource, marketResources } from '../../../schemas/market-resources.ts'
import { type MarketSnapshot, marketSnapshots } from '../../../schemas/market-snapshots.ts'
import { startUpstream } from '../../upstream.ts'

export const recordedItems: unknown[] = JSON.parse(
  readFileSync(new URL('../../recorded/market/catalog.json', import.meta.url), 'utf8'),
).items

/** Makes honest resources, each with its own seller. */
export const manyItems = (count: number): unknown[] =>
  Array.from({ length: count }, (_, i) => ({
    resource: `https://seller-${i}.dev/api`,
    type: 'http',
    x402Version: 2,
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:8453',
        asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
        amount: '1000',
        payTo: `0x${String(i).padStart(40, '0')}`,
      },
    ],
    quality: { l30DaysTotalCalls: i, l30DaysUniquePayers: 1 },
  }))

const path = '/platform/v2/x402/discovery/resources'

export async function startCatalog(items: unknown[]) {
  const state = {
    items,
    clamp: 1000,
    fail: undefined as number | undefined,
    beforePage: (_offset: number) => {},
  }
  const upstream = await startUpstream((request, response) => {
    const url = new URL(request.url ?? '', 'http://catalog')
    const limit = Math.min(Number(url.searchParams.get('limit')), state.clamp)
    const asked = Number(url.searchParams.get('offset'))
    const offset = asked - (asked % limit)
    state.beforePage(offset)
    const status = url.pathname === path ? (state.fail ?? 200) : 404
    const page = state.items.slice(offset, offset + limit)
    const pagination = { limit, offset, total: state.items.length }
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(status === 200 ? JSON.stringify({ x402Version: 2, items: page, pagination }) : 'no')
  })
  return {
    state,
    offsets: () =>
      upstream.asked
        .splice(0)
        .map(({ url }) => Number(new URL(url ?? '', upstream.url).searchParams.get('offset'))),
    outside: (now: number): Outside =>
      createOutside({
        at: { CATALOG_URL: upstream.url },
        contact: 'test',
        now: () => now,
      })(new AbortController().signal),
  }
}

type Cursor = Parameters<typeof catalog.pull>[0]

/** Polls as the runner does: it saves the cursor after each page, through JSON. */
export async function poll(outside: Outside, cursor?: Cursor) {
  const resources: MarketResource[] = []
  const snapshots: MarketSnapshot[] = []
  let next = cursor
  let failure: unknown
  try {
    for await (const page of catalog.pull(cursor, outside, {})) {
      next = JSON.parse(JSON.stringify(page.cursor))
      for (const { dataset, event } of page.events)
        if (dataset.name === marketResources.name) resources.push(marketResources.event.parse(event))
        else snapshots.push(marketSnapshots.event.parse(event))
    }
  } catch (error) {
    failure = error
  }
  return { resources, snapshots, cursor: next, failure }
}
