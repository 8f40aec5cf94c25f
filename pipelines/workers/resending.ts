/** Rejected events: looked at, and sent again to their topic when somebody has mended them or a newer version can read them. */
import { type Dataset, readEvent, whatIsWrong } from '../../schemas/dataset/dataset.ts'
import { eventsIn, packed } from '../../schemas/dataset/packed-events.ts'
import { rejects } from '../../schemas/rejects.ts'
import { instant } from '../../schemas/values/values.ts'
import { newestNow } from '../rails/log/events.ts'
import { type Entry, entryOf, type Log, type Received } from '../rails/log/log.ts'
import { Order } from '../rails/log/order.ts'
import { misfit } from '../rails/store/column-fit.ts'

type Row = Record<string, unknown>
type ReadingLog = Pick<Log, 'watch'>

export interface Rejected {
  topic: string
  place: string
  at: string
  reason: string
  event: string
}

/** Those that were not sent again yet, the oldest first. */
export async function openRejects(log: ReadingLog): Promise<Rejected[]> {
  const all = [...(await newestNow(log, rejects)).values()]
  return all
    .filter(({ sent_at }) => sent_at === null)
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.place < b.place ? -1 : 1))
}

interface Outcome extends Rejected {
  /** Why it was not sent. Absent: it was. */
  left?: string
}

/**
 * Sends each whose event fits its dataset now, and notes that it was sent. Sent twice it is still one fact. What the log has told
 * since then about the same fact is newer, so it is not sent over that.
 */
export async function sendAgain(
  dataset: Dataset,
  wanted: readonly Rejected[],
  { log, now }: { log: Pick<Log, 'append' | 'watch'>; now: () => number },
): Promise<Outcome[]> {
  const fitting = wanted.map(one => ({ one, ...eventOf(dataset, one.event) }))
  const told = await toldSince(
    dataset,
    fitting.flatMap(({ one, event }) => (event ? [{ place: one.place, event }] : [])),
    log,
  )
  const outcomes: Outcome[] = []
  for (const { one, event, wrong } of fitting) {
    const left = wrong ?? (told.has(one.place) ? 'the log has told of it again since then' : undefined)
    if (event && left === undefined) {
      await log.append(dataset.topic, entriesOf(dataset, event))
      await log.append(rejects.topic, [entryOf(rejects, { ...one, sent_at: instant(now()) })])
    }
    outcomes.push(left === undefined ? one : { ...one, left })
  }
  return outcomes
}

function eventOf(dataset: Dataset, text: string): { event?: Row; wrong?: string } {
  const { event, newer, reason } = readEvent(dataset, text)
  if (reason !== undefined) return { wrong: reason }
  if (newer?.length) return { wrong: `it has ${newer.join(', ')}, which only a newer version knows` }
  const { success, error } = dataset.event.safeParse(event)
  if (!success) return { wrong: whatIsWrong(error) }
  const wrong = misfit(dataset, event)
  return wrong ? { wrong } : { event }
}

const entriesOf = (dataset: Dataset, event: Row): Entry[] =>
  dataset.packed
    ? packed(dataset, [event]).map(value => ({ key: dataset.keyOf(event), value }))
    : [entryOf(dataset, event)]

/** The places of those that the topic has told of later: the same fact, or where it keeps the newest of each key, the same key. */
async function toldSince(
  dataset: Dataset,
  wanted: readonly { place: string; event: Row }[],
  log: ReadingLog,
): Promise<Set<string>> {
  const nameOf = (event: Row) =>
    dataset.topic.keep === 'newest'
      ? dataset.keyOf(event)
      : JSON.stringify(dataset.identity.map(column => event[column]))
  const sought = new Set(wanted.map(({ event }) => nameOf(event)))
  const places = new Map<string, bigint>()
  const latest = new Map<string, bigint>()
  const order = new Order()
  const recordOf = (place: string) => place.split('/').slice(0, 2).join('/')
  for (const { place } of wanted) places.set(recordOf(place), -1n)
  const take = (batch: readonly Received[]) => {
    for (const record of batch) {
      const version = order.versionOf(record)
      const place = `${record.partition}/${record.offset}`
      if (places.has(place)) places.set(place, version)
      if (record.value === null) continue
      for (const { event } of eventsIn(dataset, record.value))
        if (event && sought.has(nameOf(event))) latest.set(nameOf(event), version)
    }
  }
  const watching = await log.watch(dataset.topic, take)
  await watching.caughtUp
  await watching.close()
  // A record that the log no longer has is older than all that it has.
  return new Set(
    wanted
      .filter(({ place, event }) => (latest.get(nameOf(event)) ?? -2n) > (places.get(recordOf(place)) ?? -1n))
      .map(({ place }) => place),
  )
}
