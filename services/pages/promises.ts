/** What each source promises: how old its last good poll may be. Incidents and the page of the status hold the polls against it. */
import { sources } from '../../pipelines/sources/index.ts'

/** How many days are told. */
export const days = 90

/** The longest time that a source may go without a good poll. The alerts use the same. */
export const promisedMs: ReadonlyMap<string, number> = new Map(
  sources.map(({ name, silentAfterMs }) => [name, silentAfterMs]),
)

/** A failed poll is a poll, too. Who makes none for so long beyond the promise, while others are made, does not ask any more. */
const unaskedMs = 7 * 86_400_000

/** Whether a source was switched off: `asked` is its last poll, `newest` the last poll of any source. */
export const isOff = (source: string, asked: number, newest: number): boolean =>
  newest - asked > (promisedMs.get(source) ?? Number.POSITIVE_INFINITY) + unaskedMs

const names = sources.map(({ name }) => `'${name}'`).join(', ')
const seconds = sources.map(({ silentAfterMs }) => silentAfterMs / 1000).join(', ')

/**
 * SQL: the polls of the days that are told, and `goods`, the good ones, each with the next. A source whose first known poll failed has
 * one before it: the good one that this poll tells of, or, where none ever was, one whose promise ends as it is first asked.
 * `off_at`: when a source that is switched off stops being late.
 */
export const pollsUntil = (now: number): string => `
  toFloat64(${now / 1000}) as moment,
  polls as (select source, toUnixTimestamp64Milli(at) / 1000 as ended, outcome != 'failed' as was_good, took_ms, error, toUnixTimestamp64Milli(good_at) / 1000 as told_good,
    transform(source, [${names}], [${seconds}], 1e12) as promise,
    sum(outcome != 'failed') over (partition by source order by at rows between unbounded preceding and current row) as stretch
    from source_ticks where at > toDateTime64(moment, 3, 'UTC') - interval ${days} day and at <= toDateTime64(moment, 3, 'UTC')),
  last as (select source, max(ended) + any(promise) + ${unaskedMs / 1000} as off_at, off_at < (select max(ended) from polls) as is_off from polls group by source),
  stretches as (select source, stretch, any(promise) as promise, if(stretch > 0, min(ended), coalesce(min(told_good), min(ended) - promise)) as good,
    stretch = 0 and min(told_good) is null as never, countIf(not was_good) as failed, argMaxIf(error, ended, not was_good) as last_error
    from polls group by source, stretch),
  goods as (select source, promise, good, never, failed, last_error,
    leadInFrame(toNullable(good)) over (partition by source order by good rows between current row and unbounded following) as next from stretches)`
