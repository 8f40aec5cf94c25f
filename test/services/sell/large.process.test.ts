/** A large answer is read in another process: what is sold, refused and signed is the same as of a small one. */
import { expect, it } from 'vitest'
import { Unsold } from '../../../pipelines/rails/failures.ts'
import { failureOf } from '../../../services/query/call-failures.ts'
import { answerHash, hashOfAnswer } from '../../../services/query/signing/answer-hash.ts'
import { answerText, shapeIn } from '../../../services/sell/answer.ts'
import { readAnswer } from '../../../services/sell/answer-reader.ts'

const large = (item: string) => `[${Array<string>(30_000).fill(item).join()}]`
const secrets = new Map([['TIDES_KEY', 'a-key-of-the-tides']])
const schema = { type: 'array', items: { type: 'number' } }
const options = { name: 'it', gives: 'json', schema, shape: shapeIn(schema), secrets } as const
const reply = (text: string) => ({ status: 200, type: 'application/json', bytes: Buffer.from(text) })

it('is sold letter by letter', async () => {
  const answer = reply(large('1.10'))
  expect(await readAnswer(answer, 0, options)).toBe(answerText(answer, 0, options))
  const bytes = { ...options, gives: 'bytes' } as const
  expect(await readAnswer(answer, 0, bytes)).toBe(answerText(answer, 0, bytes))
})

it.each([
  ['no JSON', `${large('1.10')}]`, 'no JSON'],
  ['another shape', large('"a"'), 'does not fit what the file says'],
  ['a secret', large('1').replace('1]', '"\\u0061-key-of-the-tides"]'), 'repeats a secret'],
])('is not sold where it is %s', async (_what, text, why) => {
  const any = {
    ...options,
    ...(why === 'repeats a secret' && { schema: undefined, shape: shapeIn(undefined) }),
  }
  await expect(readAnswer(reply(text), 0, any)).rejects.toMatchObject({
    name: 'UpstreamFailed',
    message: expect.stringContaining(why),
  })
})

it('counts as an answer with nothing to sell where too many wait, and is told as busy', async () => {
  const many = Array.from({ length: 80 }, () => readAnswer(reply(large('1.10')), 0, options))
  const ends = await Promise.allSettled(many)
  const failed = ends.flatMap(end => (end.status === 'rejected' ? [end.reason] : []))
  expect(failed.length).toBeGreaterThan(0)
  for (const error of failed) {
    expect(error).toBeInstanceOf(Unsold)
    expect(failureOf(error)).toMatchObject({ code: 'busy', status: 503 })
  }
})

it('has the same digest in its receipt', async () => {
  const body = `{"receipt":{},"b":${large('1.10')},"a":"ä"}`
  expect(await answerHash(body)).toBe(hashOfAnswer(body))
  await expect(answerHash(`{"a":${large('"\\ud800"')}}`)).rejects.toThrow('surrogate')
})
