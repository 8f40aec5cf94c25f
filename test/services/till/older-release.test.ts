/** What a seller takes for a promise: those of another version during an upgrade, and none without measure. */
import { expect, it } from 'vitest'
import type { Log } from '../../../pipelines/rails/log/log.ts'
import { tillOpen } from '../../../schemas/till-open.ts'
import { promised, tillPromises } from '../../../schemas/till-promises.ts'
import { readStep } from '../../../services/till/ledger/steps.ts'
import { signed } from './paying.ts'
import { openBench } from './tills.ts'

/** All that the version before knew of a promise. With one more field in it, it could not read the promise at all. */
const promisedBefore = promised
  .pick({
    ...{ promised_at: true, since: true, origin: true, operation: true, network: true, price_usdc: true },
    ...{ payer: true, pay_to: true, fingerprint: true, caller: true, question_sha256: true },
    ...{ answer_sha256: true, hash_key: true, dead_at: true, answer: true, holds_secret: true, trace: true },
  })
  .strict()

async function promiseIn(log: Log): Promise<Record<string, unknown>> {
  const found: Record<string, unknown>[] = []
  const watching = await log.watch(tillPromises.topic, batch => {
    for (const { value } of batch) {
      const step = JSON.parse(value ?? 'null')
      if (step?.step === 'promised') found.push(step)
    }
  })
  await watching.caughtUp
  await watching.close()
  expect(found).toHaveLength(1)
  return found[0] as Record<string, unknown>
}

async function sold() {
  const bench = await openBench()
  await bench.buy(await signed())
  return promiseIn(bench.log)
}

it('the version before reads our promises, with the signed payment beside them', async () => {
  const step = await sold()
  expect(promisedBefore.safeParse(step.promised).error).toBeUndefined()
  expect(JSON.parse(step.paying as string)).toMatchObject({ signature: expect.stringMatching(/^0x/) })
})

it('we read promises of the version before, and those of a newer one that says more', async () => {
  const { paying, ...before } = await sold()
  const read = (step: object) => readStep(JSON.stringify(step), 'another run', new Map()).event
  expect(read(before)).toEqual({ ...before, paying: null })
  const newer = { ...before, paying, promised: { ...(before.promised as object), more: 'of it' }, new: 1 }
  expect(read(newer)).toEqual({ ...before, paying })
})

/** The place of each text and list in a value. */
function* placesIn(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value === 'string' || Array.isArray(value)) yield path
  if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) yield* placesIn(part, [...path, name])
}

const digits = '0'.repeat(300)

/** The value, with one text or list longer than any till writes it. */
function longerAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name !== undefined) {
    const part = value as Record<string, unknown>
    return Array.isArray(value)
      ? value.map((one, i) => (String(i) === name ? longerAt(one, rest) : one))
      : { ...part, [name]: longerAt(part[name], rest) }
  }
  return Array.isArray(value) ? [...value, ...Array(20).fill('a'.repeat(64))] : `${value}${digits}`
}

/** They may fill their record. Memory has bounds of its own for both. */
const long = ['promised.answer', 'paying', 'purchase.promised.answer']

it('no text or list of a promise is longer than any till writes it, nor of one that is carried', async () => {
  const step = { ...(await sold()), payment_tx: '0x', keys: ['b'.repeat(64)] }
  const { by, spend_id, request_id, at, keys, payment_tx, promised } = step as Record<string, unknown>
  const purchase = {
    ...{ spend_id, request_id, keys, payment_tx, promised, holder: by, delivered: true, refused: false },
    ...{ written_at: at, settled_at: at, delivered_at: at, payment_position: 0 },
  }
  const carried = { place: request_id, position: '1', forgotten: at, purchase }
  for (const [dataset, value] of [
    [tillPromises, step],
    [tillOpen, carried],
  ] as const) {
    const reads = (given: unknown) => dataset.known.safeParse(given).success
    expect(reads(value)).toBe(true)
    const places = [...placesIn(value)]
    expect(places.length).toBeGreaterThan(20)
    const taken = places.filter(path => reads(longerAt(value, path)))
    expect(taken.map(path => path.join('.'))).toEqual(
      places.map(path => path.join('.')).filter(name => long.includes(name)),
    )
  }
})
