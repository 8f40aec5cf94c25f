/** Recorded product pages: how well they are read beside three systems that others sell or give away, and what it costs. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pricesIn, shortest } from '../../pipelines/domains/product/price.ts'
import { openProductReader } from '../../pipelines/domains/product/reader.ts'
import { localeOf, shown } from '../pipelines/domains/product/price-texts.ts'
import {
  count,
  type Field,
  f1,
  fields,
  judge,
  precision,
  type RecordedPage,
  readPage,
  recall,
  recordedPages,
  type Score,
  sameField,
} from '../product-pages.ts'
import { modern } from './modern-products.ts'
import { askPeers, type PeerAnswer } from './product-peers.ts'

/** F1 as the benchmark's authors measured it in 2021 on all of its 140 pages; half of them are recorded here. */
const peers: Readonly<Record<string, readonly [extruct: string, diffbot: string, zyte: string]>> = {
  price: ['0.685', '0.824', '0.918'],
  sku: ['0.537', '0.765', '0.841'],
  availability: ['0.626', '0.943', '0.957'],
}

export async function products(): Promise<void> {
  const samples = process.env.RECORDED_SAMPLES
  if (!samples) return console.log('products: RECORDED_SAMPLES is unset, so no page is read')
  const pages = recordedPages(samples)
  quality(pages)
  texts()
  const [, , , wcxb] = process.argv
  if (wcxb !== undefined) modern(wcxb)
  cost(pages)
  memory(pages)
  await batch(pages)
}

function quality(pages: readonly RecordedPage[]): void {
  const { scores, declared } = judge(pages, pages.map(readPage))
  const theirs = askPeers(pages)
  console.log(
    `\nproducts: ${pages.length} pages      F1   precision  recall   extruct here   of 2021: extruct  Diffbot  Zyte`,
  )
  for (const field of fields) {
    const score = scores[field]
    const figures = [f1(score), precision(score), recall(score)].map(figure => figure.toFixed(3).padStart(9))
    const beside = theirs ? f1(scoreOf(field, pages, theirs)).toFixed(3) : 'not here'
    const published = (peers[field] ?? []).join('    ')
    console.log(`${field.padEnd(18)} ${figures.join('')}       ${beside.padEnd(22)}${published}`)
  }
  console.log(`of what the pages declare, right by the hand-made truth: ${precision(declared).toFixed(3)}`)
}

function scoreOf(field: Field, pages: readonly RecordedPage[], found: readonly PeerAnswer[]): Score {
  const score = { right: 0, wrong: 0, missed: 0 }
  for (const [i, { truth }] of pages.entries())
    count(score, truth[field], found[i]?.[field], sameField[field])
  return score
}

/** The table of price texts. A sign that could mean several currencies is right where the answer says so. */
function texts(): void {
  const theirs = askPeers(shown.map(([text]) => ({ text })))
  const isSame = (price: string | undefined, value: string) =>
    price !== undefined && shortest(price) === shortest(value)
  const ours = shown.filter(([text, site, value]) => isSame(pricesIn(text, localeOf(site))[0]?.value, value))
  const told = theirs && shown.filter(([, , value], i) => isSame(theirs[i]?.price, value)).length
  console.log(
    `price texts: ${ours.length} of ${shown.length} read as meant, price-parser ${told ?? 'not here'}`,
  )
}

/** The compiler needs a few rounds. */
const rounds = 5

function cost(pages: readonly RecordedPage[]): void {
  let took: number[] = []
  for (let round = 0; round < rounds; round++)
    took = pages.map(page => {
      const before = process.cpuUsage()
      readPage(page)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    })
  took.sort((a, b) => a - b)
  const at = (q: number) => (took[Math.floor(took.length * q)] ?? 0).toFixed(1)
  console.log(
    `processor time of a page   p50 ${at(0.5)} ms   p95 ${at(0.95)} ms   most ${(took.at(-1) ?? 0).toFixed(1)} ms`,
  )
}

const many = 1_000

function memory(pages: readonly RecordedPage[]): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed / 1e6
  }
  let early = 0
  for (let i = 0; i < many; i++) {
    readPage(pages[i % pages.length] as RecordedPage)
    if (i === 200) early = heap()
  }
  console.log(`heap after 200 pages ${early.toFixed(1)} MB, after ${many} pages ${heap().toFixed(1)} MB`)
}

async function batch(pages: readonly RecordedPage[]): Promise<void> {
  const reader = openProductReader()
  const read = ({ html, url }: RecordedPage) => reader.read({ source: { html }, url, finalUrl: url, now: 0 })
  for (const page of pages) await read(page)
  const timed = async (work: () => Promise<unknown>) => {
    const startedAt = performance.now()
    await work()
    return performance.now() - startedAt
  }
  const ones: number[] = []
  const fives: number[] = []
  for (let i = 0; i + 5 <= pages.length; i += 5) {
    const five = pages.slice(i, i + 5)
    for (const page of five) ones.push(await timed(() => read(page)))
    fives.push(await timed(() => Promise.all(five.map(read))))
  }
  await reader.close()
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
  console.log(
    `five pages at once in the thread take ${(mean(fives) / mean(ones)).toFixed(2)} times as long as one`,
  )
}
