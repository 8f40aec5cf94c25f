/** What happened at the door, counted by the minute: quotes, sales, refusals. No question and no caller stands in it. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { receiptNetworks } from './tables/networks.ts'
import { Instant } from './values/values.ts'

const word = 'LowCardinality(String)'
const count = z.int().min(0)

export const doorProtocols = ['http', 'x402', 'x402_v1', 'mpp', 'mcp', 'try_it'] as const
export const doorOutcomes = ['quoted', 'paid', 'again', 'free', 'refused', 'limited', 'failed'] as const
/** Whoever names another program in the header User-Agent is `other`, so that no stranger's text becomes a key. */
export const clientFamilies = [
  ...(['browser', 'agent', 'crawler', 'command_line', 'node', 'python', 'go', 'rust', 'java'] as const),
  ...(['canary', 'none', 'other'] as const),
] as const

/** The ends of the parts of the histogram, in ms. What takes longer than the last is in one more part. */
export const tookBoundsMs = [1, 5, 25, 100, 500, 2500, 10_000] as const

const fields = {
  minute: field(Instant, "DateTime64(3, 'UTC')", 'The start of the minute in which these calls were counted'),
  instance: field(z.string(), 'String', 'The process: a random name that it has drawn at its start'),
  part: field(count, 'UInt32', 'The how manyth telling of this process'),
  origin: field(
    z.string(),
    word,
    'The origin that was asked; empty where the call names nothing that we sell',
  ),
  operation: field(z.string(), word, 'What was asked, as in settlements; likewise'),
  protocol: field(
    z.enum(doorProtocols),
    word,
    'How it was asked. http: without a payment; x402, x402_v1, mpp: with a payment of this protocol; mcp: by a tool, with a payment or without; try_it: by a tool, on a free call',
  ),
  network: field(
    z.enum([...receiptNetworks, 'none']),
    word,
    'The chain that the payment names; none: there was no payment, or it names none of ours',
  ),
  client: field(
    z.enum(clientFamilies),
    word,
    'The family of the program, by its User-Agent; canary: the one of our own; none: it sent none; other: not one that we know',
  ),
  paying: field(z.boolean(), 'Bool', 'A payment came with the call'),
  outcome: field(
    z.enum(doorOutcomes),
    word,
    'quoted: the price was told; paid: sold; again: what was paid before was given again; free: answered without a price; refused: the question or the payment was refused; limited: too many calls; failed: we or an upstream could not',
  ),
  code: field(z.string(), word, 'The code of the refusal or failure; empty where there is none'),
  shape: field(
    z.string(),
    word,
    'The fields of a question that was refused, each with the kind of its value, and no value; empty unless DOOR_SHAPES is set',
  ),
  calls: field(count, 'UInt32', 'How many'),
  took: field(
    z.array(count),
    'Array(UInt32)',
    `How many of them were answered in less than ${tookBoundsMs.join(', ')} ms, and how many later`,
  ),
  took_ms: field(count, 'UInt64', 'How long all of them took together'),
}

export type DoorCount = RowOf<typeof fields>

/** What makes two counts of one telling different ones. */
const doorKey = [
  ...([
    'origin',
    'operation',
    'protocol',
    'network',
    'client',
    'paying',
    'outcome',
    'code',
    'shape',
  ] as const),
]
const identity = ['minute', 'instance', 'part', ...doorKey] as const

const sums = `
    sum(calls) as asked, sumIf(calls, outcome = 'quoted') as quoted, sumIf(calls, paying) as with_payment, sumIf(calls, outcome = 'paid') as paid,
    sumIf(calls, outcome = 'again') as again, sumIf(calls, outcome = 'free') as free, sumIf(calls, outcome = 'refused') as refused,
    sumIf(calls, outcome = 'limited') as limited, sumIf(calls, outcome = 'failed') as failed,
    if(quoted = 0, null, round(paid / quoted, 4)) as conversion`
const ofSums = {
  asked: 'Calls of any kind',
  quoted: 'Calls without a payment that were told the price',
  with_payment: 'Calls that came with a payment, however they ended',
  paid: 'Calls that were sold',
  again: 'Answers that were paid before and given again',
  free: 'Calls that were answered without a price',
  refused: 'Calls whose question or payment was refused',
  limited: 'Calls above the rate of their caller',
  failed: 'Calls that we or an upstream could not answer',
  conversion: 'Sales for each quote; null where nothing was quoted',
}

const within = (part: number) => `
    if(paid = 0 or arrayFirstIndex(n -> n >= ${part} * paid, arrayCumSum(took_by)) > ${tookBoundsMs.length}, null,
      [${tookBoundsMs.join(', ')}][arrayFirstIndex(n -> n >= ${part} * paid, arrayCumSum(took_by))])`

/** What our canary asks is no interest of anybody. */
const ofOthers = `client <> 'canary'`

const funnel = latest<DoorCount>({
  name: 'door_funnel',
  about: 'From the quote to the sale, by day and operation, without our canary',
  key: identity,
  required: false,
  sql: rows => `
    select * except took_by, ${within(0.5)} as half_within_ms, ${within(0.95)} as most_within_ms
    from (
      select toDate(minute) as day, origin, operation, ${sums}, sumForEachIf(took, outcome = 'paid') as took_by
      from ${rows} where ${ofOthers} group by day, origin, operation
    )`,
  columns: {
    day: 'The UTC day',
    ...ofSums,
    half_within_ms:
      'Half of the sales were answered within this time; null: none was, or it took longer than 10 s',
    most_within_ms: '95 of a hundred were, likewise',
  },
})

const unsold = latest<DoorCount>({
  name: 'door_unsold',
  about:
    'What was asked and not sold, by day, operation and reason: refusals that cost sales. Without our canary',
  key: identity,
  required: false,
  sql: rows => `
    select toDate(minute) as day, origin, operation, outcome, code, shape, sum(calls) as asked, sumIf(calls, paying) as with_payment
    from ${rows} where ${ofOthers} and outcome in ('refused', 'limited', 'failed') group by day, origin, operation, outcome, code, shape`,
  columns: {
    day: 'The UTC day',
    asked: 'How often',
    with_payment: 'How many of them came with a payment: a sale was lost, if the payment was good',
  },
})

const ways = latest<DoorCount>({
  name: 'door_ways',
  about: 'How callers come, by day: protocol, network and family of their program, and what they buy',
  key: identity,
  required: false,
  sql: rows => `
    select toDate(minute) as day, protocol, network, client, ${sums} from ${rows} group by day, protocol, network, client`,
  columns: { day: 'The UTC day', ...ofSums },
})

export const doorCounts = defineDataset({
  name: 'door_counts',
  about:
    'Calls at the door, counted by the minute and never by question. A process that is killed loses the counts of its last minute: no money is counted here',
  fields,
  key: ['instance'],
  identity,
  views: [funnel, unsold, ways],
  packed: true,
  keep: { ms: 30 * 24 * 3_600_000 },
  table: { partitionBy: 'toYYYYMM(minute)', expires: { after: 'minute', days: 400 } },
})
