import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { openReading } from '../../../pipelines/domains/document/reader.ts'
import { languageModel } from '../../../pipelines/domains/document/summary/model.ts'
import { mainLookup, pdfLookup, summaryLookup } from '../../../pipelines/lookups/document.ts'
import type { Lookup } from '../../../pipelines/lookups/lookup.ts'
import { startLookups } from '../../../pipelines/lookups/runner.ts'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { pageOf } from '../domains/document/page-of.ts'
import { pdfOf } from '../domains/document/pdf-file.ts'

const reading = openReading()
afterAll(() => reading.close())

async function opened(answer?: { status?: number; content: string }) {
  const server = createServer((_, response) => {
    const content = answer?.content ?? ''
    response.writeHead(answer?.status ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ choices: [{ message: { content } }] }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const finder = await startLookups([mainLookup, pdfLookup, summaryLookup] as Lookup[], {
    needsOf: () => ({
      reading,
      model: answer && { name: 'example-1', summarise: languageModel({ url, model: 'example-1' }) },
    }),
    outside: createOutside({ at: {}, contact: 'test', now: Date.now }),
    now: Date.now,
  })
  onTestFinished(async () => {
    await finder.close()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  return finder
}

const text =
  'The harbour will close for 3 weeks in March. The wall has to be repaired before spring tides. Ferries leave from Lund instead.'
const extractive = { method: 'extractive', model: null }

it('finds the main text of a page', async () => {
  const { find } = await opened()
  const html = `<title>Tides</title><nav><a href=/>Home</a></nav><main><p>${text}</p></main>`
  expect(await find(mainLookup, { ...pageOf(html), finalUrl: 'https://tides.example/' })).toMatchObject({
    title: 'Tides',
    text,
  })
})

it('finds the text of a PDF', async () => {
  const { find } = await opened()
  const bytes = pdfOf({ pages: [['High tides come twice a day.']] })
  expect(await find(pdfLookup, { bytes, mostBytes: 1_000 })).toMatchObject({
    pages: [{ page: 1, text: 'High tides come twice a day.' }],
  })
})

it('makes a summary of the text itself without a model', async () => {
  const { find } = await opened()
  const found = await find(summaryLookup, { text, mostWords: 10 })
  expect(found).toMatchObject(extractive)
  expect(text).toContain((found as { summary: string }).summary)
})

it('takes the summary of a model, and names it', async () => {
  const { find } = await opened({ content: 'The harbour closes for 3 weeks.' })
  expect(await find(summaryLookup, { text, mostWords: 10 })).toEqual({
    summary: 'The harbour closes for 3 weeks.',
    words: 6,
    method: 'model',
    model: 'example-1',
  })
})

it.each([
  ['names a number that the text lacks', { content: 'The harbour closes for 30 weeks.' }],
  ['says too much', { content: 'The harbour closes for 3 weeks in March, and ferries leave from Lund.' }],
  ['says nothing', { content: ' ' }],
  ['fails', { status: 500, content: 'The harbour closes.' }],
])('uses sentences of the text itself if the model %s', async (_what, answer) => {
  const { find } = await opened(answer)
  expect(await find(summaryLookup, { text, mostWords: 10 })).toMatchObject(extractive)
})
