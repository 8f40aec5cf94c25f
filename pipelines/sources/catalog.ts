/** Reads the public catalog of x402 sellers once a week. A pass counts only if it read every page. */
import { marketResources } from '../../schemas/market-resources.ts'
import { marketSnapshots } from '../../schemas/market-snapshots.ts'
import { driftOf } from '../rails/drift.ts'
import { UpstreamFailed } from '../rails/failures.ts'
import { type CatalogItem, knownFields } from './catalog/item.ts'
import {
  advanced,
  beginPass,
  brokenBy,
  isOver,
  isYoung,
  type Pass,
  readPage,
  rowsOn,
  snapshotOf,
} from './catalog/pass.ts'
import { catalogUpstream } from './catalog/upstream.ts'
import { emit, type PollPage, type Source } from './source.ts'

interface Cursor {
  /** The last complete snapshot. */
  whole?: string | undefined
  /** The pass in progress. It continues here after a failure or a kill. */
  pass?: Pass | undefined
}

const name = 'cdp'
const passesPerPoll = 3
const weekMs = 7 * 86_400_000
/** 1970 began on a Thursday. */
const weekOf = (ms: number) => Math.floor((ms + 3 * 86_400_000) / weekMs)

export const catalog: Source<Cursor> = {
  name: 'catalog',
  upstreams: [catalogUpstream],
  writes: [marketResources, marketSnapshots],
  schedule: '11 * * * *',
  timeoutMs: 600_000,
  silentAfterMs: 8 * 86_400_000,

  due: (now, cursor) => !cursor?.whole || weekOf(Date.parse(cursor.whole)) < weekOf(now),

  async *pull(cursor, outside) {
    const { whole } = cursor ?? {}
    let pass = cursor?.pass && isYoung(cursor.pass, outside.now()) ? cursor.pass : beginPass(outside.now())
    for (let left = passesPerPoll; ; ) {
      const page = await readPage(outside, pass)
      const read = await rowsOn(page, pass)
      const after = advanced(pass, page, read)
      const broken = brokenBy(after, page)
      if (broken) {
        yield { events: [], cursor: { whole } }
        if (--left === 0) throw new UpstreamFailed(`the catalog moved while it was read: ${broken}`)
        pass = beginPass(outside.now())
        continue
      }
      const events = rowsOf(pass.snapshot, read.rows)
      const drift = driftOf(knownFields, read.seen)
      if (isOver(after, page.total)) {
        const snapshot = snapshotOf(after, page.total, outside.now(), name)
        yield {
          events: [...events, emit(marketSnapshots, snapshot)],
          cursor: { whole: pass.snapshot },
          drift,
        }
        return
      }
      yield { events, cursor: { whole, pass: after }, drift }
      pass = after
    }
  },
}

const rowsOf = (snapshot: string, rows: readonly CatalogItem[]): PollPage<Cursor>['events'] =>
  rows.map(row => emit(marketResources, { snapshot, day: snapshot.slice(0, 10), source: name, ...row }))
