/** Builds a release from the store and puts it on sale: views, assembly, doubts, log. */

import { type MarketWindow, marketViews, marketWindow } from '../../../schemas/market-views.ts'
import { type MarketBuild, marketBuilds } from '../../../schemas/market-weeks.ts'
import { marketRules as rules } from '../../../schemas/tables/market-rules.ts'
import { instant } from '../../../schemas/values/values.ts'
import { NotReady } from '../../rails/failures.ts'
import type { Log } from '../../rails/log/log.ts'
import { sha256 } from '../../rails/signing/sha256.ts'
import type { Store } from '../../rails/store/store.ts'
import { assemble } from './assembly.ts'
import { doubts } from './gate.ts'
import { rulesSha256 } from './method.ts'
import { append, onSale, publish } from './publisher.ts'
import { readRows } from './rows.ts'

interface BuildOptions {
  store: Store
  log: Log
  now: () => number
  /** Publishes in spite of doubts. */
  force?: boolean
  onStage?: (stage: string, tookMs: number) => void
}

export async function buildMarket(options: BuildOptions): Promise<MarketBuild> {
  const { store, log, now, force = false, onStage = () => {} } = options
  async function stage<T>(name: string, work: () => Promise<T> | T): Promise<T> {
    const startedAt = performance.now()
    const done = await work()
    onStage(name, Math.round(performance.now() - startedAt))
    return done
  }

  for (const view of marketViews) {
    await stage(view.name, () => store.rebuild(view))
    if (view.name === marketWindow.name) await mustBeWhole(store)
  }
  const window = await windowOf(store)
  const { rows, coverage } = await stage('read', () => readRows(store, window))
  const assembled = await stage('assembly', () => assemble(rows))
  const { release } = assembled
  const text = JSON.stringify(release)
  const hash = sha256(text)

  const standing = await onSale(log)
  const reasons = doubts(
    { release, window, coverage },
    standing.newest && { release: standing.newest.content, coverage: standing.build?.chain_coverage ?? 0 },
  )
  const unchanged = standing.newest?.sha256 === hash
  const outcome = unchanged ? 'unchanged' : reasons.length && !force ? 'held_back' : 'published'
  const build: MarketBuild = {
    at: instant(now()),
    week: release.week,
    snapshot: release.snapshot,
    outcome,
    reasons,
    release: hash,
    sellers: release.sellers.length,
    endpoints: release.sellers.reduce((sum, { endpoints }) => sum + endpoints.length, 0),
    rated: window.items ? window.rated / window.items : 0,
    chain_coverage: Math.min(1, coverage),
    as_of: release.as_of,
    rule_version: rules.version,
    rules_sha256: rulesSha256,
  }
  if (outcome === 'published')
    await stage('publish', () => publish(log, assembled, text, { ...build, old: standing.parts }))
  await append(log, marketBuilds, [build])
  return build
}

async function windowOf(store: Store): Promise<MarketWindow> {
  const [window] = await store.read(marketWindow)
  if (!window) throw new NotReady('no snapshot of the catalog is in the store yet')
  return window
}

/** The end of a snapshot may arrive before its rows, because another sink brings it from another topic. */
async function mustBeWhole(store: Store): Promise<void> {
  const { snapshot, items, unread } = await windowOf(store)
  const [{ there = '0' } = {}] = await store.query<{ there: string }>(
    'select count() as there from market_resources where snapshot = {snapshot: DateTime64(3)}',
    { snapshot: snapshot.replace('T', ' ').replace('Z', '') },
  )
  if (Number(there) < rules.gate.read * (items - unread))
    throw new NotReady(`the store has only ${there} of ${items - unread} listings of ${snapshot} yet`)
}
