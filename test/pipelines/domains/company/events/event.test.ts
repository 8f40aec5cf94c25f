import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { documentPath, eventOf } from '../../../../../pipelines/domains/company/events/event.ts'
import { summariesBy } from '../../../../../pipelines/domains/company/events/model.ts'
import type { SecFiling } from '../../../../../schemas/sec-filings.ts'

const filing: SecFiling = {
  cik: 9000003,
  accession: '0009000003-25-000031',
  form: '8-K',
  filed: '2025-06-05',
  accepted: null,
  report_date: '2025-06-03',
  items: ['1.01', '9.01'],
  primary_document: 'exd-8k.htm',
  primary_doc_description: '8-K',
  size: 1,
  is_xbrl: false,
}
const document =
  '<p>Item 1.01 Entry</p><p>On June 3, 2025, the Company entered into a lease with Example Land LLC for $12.5 million a year.</p>'
const outside = { signal: new AbortController().signal }
const filer = { name: 'Example Devices Inc.', industry: 'Electronic Computers' }
const byRules =
  'Example Devices Inc. signed a material agreement. The Company entered into a lease with Example Land LLC for $12.5 million a year.'

const told = {
  cik: filing.cik,
  accession: filing.accession,
  form: '8-K',
  filed: filing.filed,
  accepted: null,
  items: filing.items,
  ...filer,
  figures: [],
}

describe('an event', () => {
  it('has a summary from the text of the report', async () => {
    expect(
      await eventOf(filing, filer, { document, release: undefined }, { summarise: undefined, outside }),
    ).toEqual({
      ...told,
      summary: byRules,
      told_by: 'text',
    })
  })

  it('has a summary from its items if there is no text', async () => {
    expect(
      await eventOf(
        filing,
        filer,
        { document: undefined, release: undefined },
        { summarise: undefined, outside },
      ),
    ).toEqual({
      ...told,
      summary: 'Example Devices Inc. signed a material agreement.',
      told_by: 'no text',
    })
  })

  it('has the path of its text in EDGAR, and none on paper', () => {
    expect(documentPath(filing)).toBe('/Archives/edgar/data/9000003/000900000325000031/exd-8k.htm')
    expect(documentPath({ ...filing, primary_document: '' })).toBeUndefined()
  })
})

describe('a model', () => {
  let server: Server | undefined
  afterEach(() => {
    server?.closeAllConnections()
    server?.close()
  })

  /** An endpoint that gives every question the same answer, and the questions that it got. */
  async function endpoint(status: number, content: string) {
    const asked: { path: string | undefined; headers: IncomingHttpHeaders; body: unknown }[] = []
    server = createServer(async (request, response) => {
      asked.push({ path: request.url, headers: request.headers, body: await json(request) })
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(content)
    })
    await new Promise<void>(resolve => server?.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const summarise = summariesBy({ url, model: 'example-1', token: 'secret', timeoutMs: 5_000 })
    return {
      asked,
      event: () => eventOf(filing, filer, { document, release: undefined }, { outside, summarise }),
    }
  }
  const says = (content: string) => JSON.stringify({ choices: [{ message: { content } }] })

  it('writes the summary', async () => {
    const { asked, event } = await endpoint(
      200,
      says('Example Devices signed a lease\nfor $12.5 million a year.'),
    )
    expect(await event()).toEqual({
      ...told,
      summary: 'Example Devices signed a lease for $12.5 million a year.',
      told_by: 'model',
    })
    expect(asked).toMatchObject([
      {
        path: '/v1/chat/completions',
        headers: { authorization: 'Bearer secret' },
        body: {
          model: 'example-1',
          temperature: 0,
          messages: [{ role: 'system' }, { role: 'user', content: expect.stringContaining('$12.5 million') }],
        },
      },
    ])
  })

  it.each([
    ['fails', 500, ''],
    ['answers something else', 200, '{"choices":[]}'],
    ['answers no JSON', 200, '<html>'],
    ['says nothing', 200, says(' ')],
    ['says too much', 200, says('word '.repeat(100))],
    [
      'names a number that the report does not have',
      200,
      says('The company signed a lease for $13 million.'),
    ],
  ])('leaves it to the rules if it %s', async (_what, status, content) => {
    const { event } = await endpoint(status, content)
    expect(await event()).toMatchObject({ summary: byRules, told_by: 'text' })
  })

  it('leaves it to the rules if it is not there', async () => {
    const summarise = summariesBy({ url: 'http://127.0.0.1:1/v1', model: 'example-1' })
    expect(
      await eventOf(filing, filer, { document, release: undefined }, { outside, summarise }),
    ).toMatchObject({
      told_by: 'text',
    })
  })

  it('is abandoned when the service stops', async () => {
    const stopped = AbortSignal.abort(new Error('stopping'))
    const summarise = summariesBy({ url: 'http://127.0.0.1:1/v1', model: 'example-1' })
    await expect(
      eventOf(filing, filer, { document, release: undefined }, { outside: { signal: stopped }, summarise }),
    ).rejects.toThrow('stopping')
  })
})
