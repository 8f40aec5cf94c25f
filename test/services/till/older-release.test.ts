/** During an upgrade, sellers of two versions read each other's promises. */
import { expect, it } from 'vitest'
import type { Log } from '../../../pipelines/rails/log/log.ts'
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
  const read = (step: object) => readStep(JSON.stringify(step), 'another run').event
  expect(read(before)).toEqual({ ...before, paying: null })
  const newer = { ...before, paying, promised: { ...(before.promised as object), more: 'of it' }, new: 1 }
  expect(read(newer)).toEqual({ ...before, paying })
})
