import { describe, expect, it } from 'vitest'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import type { SettlementEvent } from '../../../schemas/settlements.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { defineOperation } from '../../../services/offer/operation.ts'
import { originOf } from '../an-origin.ts'
import { openSelling } from '../query/selling.ts'
import { echo, signed, toil } from './paying.ts'
import { openBench, settlementsTold } from './tills.ts'

/** Everything that an attacker finds who tries every question and answer in every form that ours may have had. */
const tried = (texts: readonly string[]) => new Set(texts.map(sha256))
const found = (events: readonly SettlementEvent[], texts: readonly string[]) =>
  events.filter(event => [event.question_sha256, event.answer_sha256].some(hash => tried(texts).has(hash)))

const question = '{"say":"8.8.8.8"}'
const answer = '{"said":"8.8.8.8"}'
const guesses = [
  question,
  answer,
  JSON.stringify(['/echo', question]),
  JSON.stringify(['/echo', JSON.parse(question)]),
  JSON.stringify(['/echo', '{}']),
  `/echo ${question}`,
]

describe('the hashes of question and answer for analysts', () => {
  it('cannot be found by trying, and never repeat', async () => {
    const bench = await openBench()
    for (let i = 0; i < 2; i++) await bench.buy(await signed(), { question, answer: async () => answer })
    const told = await settlementsTold(bench.log, 4)
    expect(found(told, guesses)).toEqual([])
    expect(new Set(told.map(({ question_sha256 }) => question_sha256)).size).toBe(2)
    expect(new Set(told.map(({ answer_sha256 }) => answer_sha256)).size).toBe(2)
  })

  it('can be checked with the key in the promise only', async () => {
    const bench = await openBench()
    await bench.buy(await signed(), { question, answer: async () => answer })
    const [told] = await settlementsTold(bench.log, 2)
    const keys: string[] = []
    const watching = await bench.log.watch(tillPromises.topic, batch => {
      for (const { value } of batch) {
        const { promised } = JSON.parse(value ?? '{}')
        if (promised) keys.push(promised.hash_key)
      }
    })
    await watching.caughtUp
    await watching.close()
    const keyed = (text: string) => sha256(`${keys[0]}${text}`)
    expect(keys).toHaveLength(1)
    expect(told).toMatchObject({
      question_sha256: keyed(JSON.stringify(['/echo', question])),
      answer_sha256: keyed(answer),
    })
    expect(JSON.stringify(told)).not.toContain(keys[0])
  })

  it('have a plain hash for an answer with a secret, because its order waits for it', async () => {
    const operation = { ...toil, holdsSecret: true as const }
    const bench = await openBench({ origins: [originOf([operation])] })
    await bench.buy(await signed(), { operation, question, answer: async () => answer })
    const [told] = await settlementsTold(bench.log, 2)
    expect(told?.answer_sha256).toBe(sha256(answer))
    expect(found([{ ...(told as SettlementEvent), answer_sha256: '' }], guesses)).toEqual([])
  })

  it('of a free call cannot be found either', async () => {
    const operation = defineOperation({ ...echo, trial: true })
    const { url, log } = await openSelling({ operations: [operation], freeCallsADay: 10 })
    const call = { name: 'echo', arguments: JSON.parse(question) }
    const { status } = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
    })
    expect(status).toBe(200)
    const told = await settlementsTold(log, 1)
    expect([told[0]?.state, found(told, guesses)]).toEqual(['free', []])
  })
})
