/** Children that are killed: for a document that takes too long or too much memory. The next one is read. */
import { afterAll, describe, expect, it } from 'vitest'
import { openReading } from '../../../../pipelines/domains/document/reader.ts'
import { isUnreadable } from '../../../../pipelines/rails/outside/pages/look.ts'
import { busyness } from '../../../busyness.ts'
import { pageOf } from './page-of.ts'
import { pdfOf } from './pdf-file.ts'

const good =
  '<html><body><article><h1>Tides</h1><p>High tides come twice a day, and low tides between them.</p></article></body></html>'
/** A child loads its modules within this time, before the next page is read. */
const deadlineMs = 4_000 * busyness()
const readings = [openReading({ deadlineMs, mostMegabytes: 200 })]
const [reading] = readings as [ReturnType<typeof openReading>]
afterAll(() => Promise.all(readings.map(each => each.close())))

const isGood = async () =>
  expect(await reading.main(pageOf(good))).toMatchObject({ text: expect.stringContaining('twice a day') })

describe('a page', () => {
  it.each([
    ['nested 10,000 deep', () => `<body>${'<div>'.repeat(10_000)}deep</div>`],
    ['of 10 MB of text', () => `<body><p>${'All the words of a long text. '.repeat(350_000)}</p>`],
  ])('%s is read or reported as unreadable, and the next one is read', async (_what, html) => {
    const found = await reading.main(pageOf(html()))
    expect(isUnreadable(found) || typeof found.text === 'string').toBe(true)
    await isGood()
  })

  it('that needs more memory than the child has ends the child alone', async () => {
    const small = openReading({ deadlineMs: 20_000, mostMegabytes: 24 })
    readings.push(small)
    expect(await small.main(pageOf('<p>one <b>two</b>'.repeat(100_000)))).toEqual({
      unreadable: expect.any(String),
    })
    expect(await small.main(pageOf(good))).toMatchObject({ title: 'Tides' })
  })

  it('that takes too long ends only its child, and the waiting ones are read', async () => {
    const hurried = openReading({ deadlineMs: 1, mostMegabytes: 200 })
    readings.push(hurried)
    const all = await Promise.all(
      Array.from({ length: 4 }, () => hurried.main(pageOf('<p>one</p>'.repeat(10_000)))),
    )
    expect(all).toEqual(all.map(() => ({ unreadable: 'it takes longer than 1 ms' })))
  })
})

it('a page that takes long does not delay the next one, and a crowd is asked to come back later', async () => {
  const crowded = openReading({ deadlineMs: 60_000, mostMegabytes: 200 })
  readings.push(crowded)
  // Two are loaded.
  await Promise.all([crowded.main(pageOf(good)), crowded.main(pageOf(good))])
  const long = crowded.main(pageOf(`<body>${'<p>one <b>two</b></p>'.repeat(5_000)}`))
  const order: string[] = []
  await Promise.all([
    long.then(() => order.push('long')),
    crowded.main(pageOf(good)).then(() => order.push('short')),
  ])
  expect(order).toEqual(['short', 'long'])
  const all = await Promise.allSettled(Array.from({ length: 60 }, () => crowded.main(pageOf(good))))
  const turned = all.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
  expect(turned.length).toBeGreaterThan(5)
  expect(new Set(turned.map(({ reason }) => reason.name))).toEqual(new Set(['Busy']))
})

describe('a PDF', () => {
  it('is read by a child', async () => {
    const bytes = pdfOf({ title: 'Tides', pages: [['High tides come twice a day.']] })
    expect(await reading.pdf({ bytes, mostBytes: 1_000 })).toMatchObject({
      title: 'Tides',
      pages: [{ page: 1, text: 'High tides come twice a day.' }],
    })
  })
})

it('a summary is made by a child', async () => {
  const text =
    'The harbour will close for three weeks. The wall has to be repaired. Ferries leave from Lund instead.'
  expect(await reading.summary({ text, mostWords: 8 })).toMatchObject({
    summary: expect.stringMatching(/\.$/),
  })
})

it('a closed reader starts no child', async () => {
  const closed = openReading()
  await closed.close()
  expect(await closed.main(pageOf(good))).toEqual({ unreadable: 'it is closed' })
})
