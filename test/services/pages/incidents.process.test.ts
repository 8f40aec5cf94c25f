/** Incidents as the real store finds them among polls and calls. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStore } from '../../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../../pipelines/rails/store/store.ts'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { type DoorCount, doorCounts } from '../../../schemas/door-counts.ts'
import { type SourceTick, sourceTicks } from '../../../schemas/source-ticks.ts'
import { data } from '../../../services/origins/data/origin.ts'
import { incidentsOf } from '../../../services/pages/incidents.ts'
import { historyUntil } from '../../../services/pages/status.ts'
import { scratchFolder } from '../../scratch.ts'
import { originOf } from '../an-origin.ts'

const at = (time: string) => `2026-11-20T${time}.000Z`
const seconds = (time: string) => Date.parse(at(time)) / 1000

const tick = (more: Pick<SourceTick, 'source' | 'at' | 'outcome'> & Partial<SourceTick>): SourceTick => ({
  ...{ events: 0, took_ms: 5, error: null, good_at: null, cursor: '' },
  ...more,
})
/** The source promises a good poll each three hours. */
const poll = (time: string, outcome: SourceTick['outcome'], error: string | null = null): SourceTick =>
  tick({ source: 'ecb', at: at(time), outcome, error })

const unsold = (time: string, operation: string, calls: number): DoorCount => ({
  ...{ minute: at(time), instance: time, part: 1, origin: 'data', operation, protocol: 'http' },
  ...{ network: 'none', client: 'none', paying: false, outcome: 'failed', code: 'stale_data', shape: '' },
  ...{ calls, took: [], took_ms: 1 },
})

let store: Store
let version = 0
beforeAll(async () => {
  store = await openStore(`embedded:${scratchFolder(afterAll)}/store`)
  await store.apply([sourceTicks, doorCounts] as unknown as Dataset[])
})
afterAll(() => store?.close())

const insert = (dataset: unknown, events: readonly object[]) =>
  store.insert(
    dataset as Dataset,
    events.map(event => ({ event: event as never, version: BigInt(++version) })),
  )
const origins = [originOf(data.operations)]
const ask = async (moment: string, source: string) =>
  (await incidentsOf(store, Date.parse(moment), origins)).filter(each => each.source === source)
/** How long the page of the status says that a source has kept its promise. */
const kept = async (moment: string, source: string) => (await lateness(moment, source)).late
/** With the time since its first poll that is known. */
const lateness = async (moment: string, source: string) => {
  const all = await store.query<{ source: string; late: number; span: number }>(
    historyUntil(Date.parse(moment)),
  )
  const days = all.filter(each => each.source === source)
  const spans = [...new Set(days.map(({ span }) => Number(span)))]
  return { late: days.reduce((sum, { late }) => sum + Number(late), 0), spans }
}

it('a source is late from its broken promise to its next good poll, and tells whose calls were refused', async () => {
  await insert(sourceTicks, [
    poll('00:00:00', 'changed'),
    poll('02:59:00', 'unchanged'),
    poll('04:00:00', 'failed', 'it said 500'),
    poll('05:00:00', 'failed', 'it said 502'),
    poll('07:59:00', 'unchanged'),
  ])
  await insert(doorCounts, [
    unsold('05:58:00', 'exchangeRate', 1),
    unsold('06:00:00', 'exchangeRate', 2),
    unsold('06:30:00', 'exchangeRate', 3),
    unsold('06:30:00', 'airportStatus', 9),
    unsold('08:00:00', 'exchangeRate', 7),
  ])
  const past = {
    ...{ source: 'ecb', began: seconds('05:59:00'), ended: seconds('07:59:00'), failed: 2 },
    ...{ error: 'it said 502', refused: [['/fx', 5]], off: false, never: false },
  }
  expect(await ask(at('09:00:00'), 'ecb')).toEqual([past])
  const lasting = { began: seconds('10:59:00'), ended: null, failed: 0, error: null, refused: [] }
  expect(await ask(at('11:00:00'), 'ecb')).toEqual([
    { source: 'ecb', off: false, never: false, ...lasting },
    past,
  ])
})

it('a source that has been late for longer than is told is late from its last good poll on', async () => {
  await insert(sourceTicks, [
    tick({ source: 'faa', at: '2026-06-01T00:00:00.000Z', outcome: 'changed' }),
    ...['2026-06-02', '2026-11-01', '2026-11-20'].map(day =>
      tick({
        source: 'faa',
        at: `${day}T00:00:00.000Z`,
        outcome: 'failed',
        good_at: '2026-06-01T00:00:00.000Z',
      }),
    ),
  ])
  const [incident, ...others] = await ask(at('00:00:00'), 'faa')
  expect(incident).toMatchObject({ ended: null, never: false, failed: 2 })
  expect(incident?.began).toBe(Date.parse('2026-06-01T00:05:00Z') / 1000)
  expect(others).toEqual([])
  // All of the 90 days, and no more.
  expect(await lateness(at('00:00:00'), 'faa')).toEqual({ late: 90 * 86_400, spans: [90 * 86_400] })
})

it('a source that never had a good poll is late from the first one on, until there is one', async () => {
  await insert(sourceTicks, [
    tick({ source: 'nbp', at: at('01:00:00'), outcome: 'failed', error: 'it said 403' }),
    tick({ source: 'nbp', at: at('02:00:00'), outcome: 'failed', error: 'it said 404' }),
  ])
  const never = { source: 'nbp', began: seconds('01:00:00'), never: true, off: false, refused: [] }
  const told = { ...never, failed: 2, error: 'it said 404' }
  expect(await ask(at('03:00:00'), 'nbp')).toEqual([{ ...told, ended: null }])
  // It was late for all of the time since it was asked first, which is no whole day.
  expect(await lateness(at('03:00:00'), 'nbp')).toEqual({ late: 7200, spans: [7200] })
  await insert(sourceTicks, [tick({ source: 'nbp', at: at('03:00:00'), outcome: 'changed' })])
  expect(await ask(at('03:00:01'), 'nbp')).toEqual([{ ...told, ended: seconds('03:00:00') }])
})

it('a source that nobody asks any more, while others are asked, is not late for ever', async () => {
  await insert(sourceTicks, [
    tick({ source: 'alerts', at: '2026-11-01T00:00:00.000Z', outcome: 'changed' }),
    tick({ source: 'catalog', at: '2026-11-08T00:00:00.000Z', outcome: 'changed' }),
  ])
  // It promises a good poll each ten minutes.
  const began = Date.parse('2026-11-01T00:10:00Z') / 1000
  expect(await ask('2026-11-08T00:09:00.000Z', 'alerts')).toMatchObject([{ began, ended: null, off: false }])
  expect(await ask(at('12:00:00'), 'alerts')).toMatchObject([{ began, ended: began + 7 * 86_400, off: true }])
  expect(await kept(at('12:00:00'), 'alerts')).toBe(7 * 86_400)
})
