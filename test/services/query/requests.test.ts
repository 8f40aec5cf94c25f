import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { answerRequests } from '../../../pipelines/rails/requests.ts'
import { field } from '../../../schemas/dataset/dataset.ts'
import { defineRequests } from '../../../schemas/requests.ts'
import { LookedUp } from '../../../services/query/looked-up.ts'
import { openRequests } from '../../../services/query/requests.ts'
import { scratchFolder } from '../../scratch.ts'

/** A topic of requests that only these tests use. */
const drawings = defineRequests({
  name: 'drawing_requests',
  about: 'Drawings to be made',
  asked: {
    subject: field(z.string(), 'String', 'What is drawn'),
    size: field(z.number(), 'UInt32', 'How large'),
  },
  key: ['subject'],
})

type Draw = (subject: string) => Promise<boolean>

/** Opens the asking role and the drawing role over one log. */
async function open(draw: Draw) {
  const log = await openLog(`sqlite:${scratchFolder()}/log.db`, { topics: [drawings.topic] })
  const now = Date.now
  const drawn: string[] = []
  const failed: unknown[] = []
  const answering = await answerRequests(drawings, {
    log,
    now,
    outside: createOutside({ at: {}, contact: 'test', now }),
    onFailed: (_, error) => failed.push(error),
    load: ({ subject }) => {
      drawn.push(subject)
      return draw(subject)
    },
  })
  const lookedUp = new LookedUp({ store: () => Promise.reject(new Error('no store')), log, now })
  const asking = await openRequests([drawings], { log, lookedUp, now })
  onTestFinished(async () => {
    await asking.close()
    await answering.close()
    await log.close()
  })
  const ask = (subject: string) => asking.ask(drawings, { subject, size: 10 })
  return { asking, ask, drawn, failed }
}

describe('a request to another role', () => {
  it('gets its outcome, with the question', async () => {
    const { ask } = await open(async () => true)
    expect(await ask('a horse')).toMatchObject({
      subject: 'a horse',
      size: 10,
      state: 'loaded',
      reason: null,
    })
  })

  it('is made once for all who ask for the same at once', async () => {
    const { ask, drawn } = await open(async () => true)
    await Promise.all([ask('a horse'), ask('a horse'), ask('a house')])
    expect(drawn.toSorted()).toEqual(['a horse', 'a house'])
  })

  it('for an unknown thing is not made again at once', async () => {
    const { ask, drawn } = await open(async () => false)
    expect(await ask('a unicorn')).toMatchObject({ state: 'unknown' })
    expect(await ask('a unicorn')).toMatchObject({ state: 'unknown' })
    expect(drawn).toEqual(['a unicorn'])
  })

  it('that fails by the world says why, and may be made again', async () => {
    const { ask, drawn, failed } = await open(() => Promise.reject(new UpstreamFailed('no ink')))
    expect(await ask('a horse')).toMatchObject({ state: 'failed', reason: 'no ink' })
    expect(await ask('a horse')).toMatchObject({ state: 'failed' })
    expect(drawn).toHaveLength(2)
    expect(failed).toHaveLength(2)
  })

  it('that fails by our fault does not say how', async () => {
    const { ask } = await open(() => Promise.reject(new TypeError('undefined is not a pencil')))
    expect(await ask('a horse')).toMatchObject({ state: 'failed', reason: 'it could not be fetched' })
  })

  it('of a kind that was not opened here is our own mistake', async () => {
    const { asking } = await open(async () => true)
    const others = defineRequests({
      name: 'song_requests',
      about: 'Songs to be sung',
      asked: { title: field(z.string(), 'String', 'Its title') },
      key: ['title'],
    })
    await expect(asking.ask(others, { title: 'any' })).rejects.toThrow(
      'the requests song_requests are not open in this process',
    )
  })
})
