import { describe, expect, it } from 'vitest'
import { eventOfItems } from '../../../../../pipelines/domains/company/events/event.ts'
import { NotReady } from '../../../../../pipelines/rails/failures.ts'
import { secEvents as dataset, type SecEvent } from '../../../../../schemas/sec-events.ts'
import { secEvents } from '../../../../../services/origins/data/company/sec-events.ts'
import { ask, polled } from '../../ask.ts'
import { Loaded } from '../../loaded.ts'
import { refusal } from '../../refusal.ts'
import { asking, filing, now } from './a-company.ts'

const event = (of: number, filed: string, items: string[], changed: Partial<SecEvent> = {}): SecEvent => ({
  ...eventOfItems(
    { ...filing('8-K', filed, { items }), cik: of, accession: `${String(of).padStart(10, '0')}-25-000001` },
    { name: `Company ${of}`, industry: 'Services-Prepackaged Software' },
  ),
  ...changed,
})
const figures = [{ what: 'revenue' as const, value: '$1 million', sentence: 'Revenue was $1 million.' }]
const events = [
  event(1, '2025-06-30', ['5.02'], { accepted: '2025-06-30T11:00:00.000Z' }),
  event(2, '2025-06-30', ['2.02', '9.01'], {
    accepted: '2025-06-30T12:00:00.000Z',
    figures,
    told_by: 'text',
  }),
  event(3, '2025-06-27', ['5.02'], { industry: 'State Commercial Banks', told_by: 'text' }),
  event(4, '2025-06-20', ['5.02'], { told_by: 'no text' }),
]
const asked = () => asking(new Loaded().put(dataset, events))

describe('events across companies', () => {
  it('are those of the last week, newest first, with their figures', async () => {
    const answer = await ask(secEvents, {}, asked())
    expect(answer).toMatchObject({ from: '2025-06-24', to: '2025-06-30', count: 3 })
    expect(answer.events.map(({ cik, filed }) => [cik, filed])).toEqual([
      [2, '2025-06-30'],
      [1, '2025-06-30'],
      [3, '2025-06-27'],
    ])
    expect(answer.events[0]).toEqual({
      cik: 2,
      name: 'Company 2',
      industry: 'Services-Prepackaged Software',
      form: '8-K',
      filed: '2025-06-30',
      items: ['2.02', '9.01'],
      summary: 'Company 2 announced financial results.',
      figures,
      accession: '0000000002-25-000001',
      url: 'https://www.sec.gov/Archives/edgar/data/2/000000000225000001/0000000002-25-000001-index.htm',
    })
    // Its text is not read yet.
    expect(answer.events[1]?.note).toMatch(/from its items alone/)
  })

  it('are found by item, span and words of the industry', async () => {
    const ciks = async (question: object) =>
      (await ask(secEvents, question, asked())).events.map(({ cik }) => cik)
    expect(await ciks({ item: '5.02' })).toEqual([1, 3])
    expect(await ciks({ item: '5.02', from: '2025-06-01' })).toEqual([1, 3, 4])
    expect(await ciks({ industry: 'software prepackaged' })).toEqual([2, 1])
    expect(await ciks({ to: '2025-06-29' })).toEqual([3])
  })

  it('are not sold while the texts of more than half of those listed are not read', async () => {
    const failure = ask(secEvents, { item: '5.02', to: '2025-06-30', limit: 1 }, asked())
    await expect(failure).rejects.toThrow('1 of the 1 newest reports are not read yet')
    await expect(failure).rejects.toBeInstanceOf(NotReady)
    expect((await ask(secEvents, { item: '5.02', limit: 2 }, asked())).events).toHaveLength(2)
  })

  it('are all counted, whatever the limit', async () => {
    const answer = await ask(secEvents, { limit: 1 }, asked())
    expect([answer.count, answer.events.length]).toEqual([3, 1])
  })

  it('are not sold once the feed is silent for a day', async () => {
    const known = asked()
    polled(known.shelf, 'sec_current', now() - 25 * 3_600_000)
    await expect(ask(secEvents, {}, known)).rejects.toMatchObject({ code: 'stale_data', status: 502 })
  })
})

describe('is refused, free:', () => {
  it.each([
    [{ from: '2025-06-02', to: '2025-06-01' }, 400, 'invalid_span'],
    [{ from: '2025-05-01' }, 400, 'invalid_span'],
    [{ from: '2025-07-01', to: '2025-07-01' }, 400, 'invalid_span'],
    [{ item: '1.05' }, 422, 'no_match'],
  ])('%j: %i %s', async (body, status, error) => {
    expect(await refusal(secEvents, body, asked())).toMatchObject({ status, error, charged: false })
  })

  it.each([{ item: '5.2' }, { from: 'yesterday' }, { limit: 101 }, { ticker: 'EXD' }])(
    'a malformed question: %j',
    async body => {
      await expect(ask(secEvents, body, asked())).rejects.toMatchObject({ code: 'invalid_request' })
    },
  )
})
