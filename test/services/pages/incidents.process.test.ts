/** Incidents as the real store finds them among polls and calls. */
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../pipelines/rails/store/open-store.ts'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { type DoorCount, doorCounts } from '../../../schemas/door-counts.ts'
import { type SourceTick, sourceTicks } from '../../../schemas/source-ticks.ts'
import { data } from '../../../services/origins/data/origin.ts'
import { incidentsOf } from '../../../services/pages/incidents.ts'
import { scratchFolder } from '../../scratch.ts'
import { originOf } from '../an-origin.ts'

const at = (time: string) => `2026-11-20T${time}.000Z`
const seconds = (time: string) => Date.parse(at(time)) / 1000

/** The source promises a good poll each three hours. */
const poll = (time: string, outcome: SourceTick['outcome'], error: string | null = null): SourceTick => ({
  ...{ source: 'ecb', at: at(time), outcome, events: 0, took_ms: 5, error, good_at: null, cursor: '' },
})

const unsold = (time: string, operation: string, calls: number): DoorCount => ({
  ...{ minute: at(time), instance: time, part: 1, origin: 'data', operation, protocol: 'http' },
  ...{ network: 'none', client: 'none', paying: false, outcome: 'failed', code: 'stale_data', shape: '' },
  ...{ calls, took: [], took_ms: 1 },
})

it('a source is late from its broken promise to its next good poll, and tells whose calls were refused', async () => {
  const store = await openStore(`embedded:${scratchFolder()}/store`)
  onTestFinished(() => store.close())
  const [ticks, counts] = [sourceTicks, doorCounts] as unknown as [Dataset, Dataset]
  await store.apply([ticks, counts])
  const insert = (dataset: Dataset, events: readonly object[]) =>
    store.insert(
      dataset,
      events.map((event, i) => ({ event: event as never, version: BigInt(i + 1) })),
    )
  await insert(ticks, [
    poll('00:00:00', 'changed'),
    poll('02:59:00', 'unchanged'),
    poll('04:00:00', 'failed', 'it said 500'),
    poll('05:00:00', 'failed', 'it said 502'),
    poll('07:59:00', 'unchanged'),
  ])
  await insert(counts, [
    unsold('05:58:00', 'exchangeRate', 1),
    unsold('06:00:00', 'exchangeRate', 2),
    unsold('06:30:00', 'exchangeRate', 3),
    unsold('06:30:00', 'airportStatus', 9),
    unsold('08:00:00', 'exchangeRate', 7),
  ])
  const asked = (time: string) => incidentsOf(store, Date.parse(at(time)), [originOf(data.operations)])
  const past = {
    ...{ source: 'ecb', began: seconds('05:59:00'), ended: seconds('07:59:00'), failed: 2 },
    ...{ error: 'it said 502', refused: [['/fx', 5]] },
  }
  expect(await asked('09:00:00')).toEqual([past])
  const lasting = { began: seconds('10:59:00'), ended: null, failed: 0, error: null, refused: [] }
  expect(await asked('11:00:00')).toEqual([{ source: 'ecb', ...lasting }, past])
})
