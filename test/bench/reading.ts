/**
 * How well and how fast documents are read: `npm run bench -- reading [benchmark]`. `benchmark` is a folder with a clone of
 * WCXB, of the benchmark of articles, of a set of PDFs, or of news with summaries; it is read by what it holds. Without one, the
 * articles of RECORDED_SAMPLES are measured (`reading pooled <folder>…`: see truths.ts); with the benchmark of articles, those that are not among the recorded ones.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Main, mainOf } from '../../pipelines/domains/document/page/main.ts'
import { openReading } from '../../pipelines/domains/document/reader.ts'
import { extractiveSummary } from '../../pipelines/domains/document/summary/extractive.ts'
import { wordsOf } from '../../pipelines/domains/document/summary/words.ts'
import { type Edges, edgesOf, edgesText } from './edges.ts'
import { pooled } from './truths.ts'

export async function reading(): Promise<void> {
  const [, , , folder, ...more] = process.argv
  if (folder === 'pooled') return pooled(more)
  if (folder === undefined || existsSync(join(folder, 'ground-truth.json'))) return articles(folder)
  for (const split of ['dev', 'test']) {
    const asked = process.argv[4] ?? 'dev'
    if (split === asked && existsSync(join(folder, split, 'ground-truth'))) web(join(folder, split), split)
  }
  const pdfs = globSync('**/*.pdf', { cwd: folder })
  if (pdfs.length) await documents(folder, pdfs.sort())
  if (existsSync(join(folder, 'Summaries'))) news(folder)
}

const text = (file: string) => gunzipSync(readFileSync(file)).toString('utf8')
const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

/** Reads a page, and takes the processor time of it. */
function timed(html: string, url: string | undefined, times: number[]): Main {
  const before = process.cpuUsage()
  const main = mainOf(html, url)
  const { user, system } = process.cpuUsage(before)
  times.push((user + system) / 1000)
  return main
}

const mean = (all: readonly number[]): number => all.reduce((sum, each) => sum + each, 0) / all.length
const percentile = (all: readonly number[], share: number): number =>
  [...all].sort((a, b) => a - b)[Math.floor(all.length * share)] ?? 0
const cost = (times: readonly number[]): string =>
  `${mean(times).toFixed(0)} ms of processor time a page, p95 ${percentile(times, 0.95).toFixed(0)}`

/** The measure of scrapinghub/article-extraction-benchmark: 4 words in a row, each page with the same weight. */
function articles(clone: string | undefined): void {
  const recorded = process.env.RECORDED_SAMPLES && join(process.env.RECORDED_SAMPLES, 'siblings/articles')
  const folder = clone ?? recorded
  if (!folder || !existsSync(folder)) {
    console.log('articles: RECORDED_SAMPLES is not set')
    return
  }
  const known = clone && recorded ? json(join(recorded, 'ground-truth.json')) : {}
  const pages = clone ? join(folder, 'html') : folder
  const truth: Record<string, { articleBody: string; url?: string }> = json(join(folder, 'ground-truth.json'))
  const times: number[] = []
  const edges: (Edges | undefined)[] = []
  const scores = Object.entries(truth).flatMap(([id, { articleBody, url }]) => {
    const file = join(pages, `${id}.html.gz`)
    if (id in known || !existsSync(file)) return []
    const { text: found } = timed(text(file), url, times)
    edges.push(edgesOf(articleBody, found))
    return overlap(shingles(articleBody), shingles(found))
  })
  const precision = mean(scores.map(score => score.precision))
  const recall = mean(scores.map(score => score.recall))
  const f1 = (2 * precision * recall) / (precision + recall)
  console.log(
    `articles (${scores.length} pages): F1 ${f1.toFixed(4)}, precision ${precision.toFixed(4)}, recall ${recall.toFixed(4)}; ${edgesText(edges)}; ${cost(times)}`,
  )
}

const tokens = (from: string): string[] => from.match(/[\p{L}\p{N}_]+/gu) ?? []

function shingles(from: string): Map<string, number> {
  const words = tokens(from)
  const counts = new Map<string, number>()
  for (let at = 0; at < Math.max(1, words.length - 3); at++) {
    const shingle = words.slice(at, at + 4).join(' ')
    if (shingle) counts.set(shingle, (counts.get(shingle) ?? 0) + 1)
  }
  return counts
}

function overlap(truth: Map<string, number>, found: Map<string, number>) {
  const sum = (counts: Map<string, number>) => [...counts.values()].reduce((total, count) => total + count, 0)
  let shared = 0
  for (const [key, count] of found) shared += Math.min(count, truth.get(key) ?? 0)
  const [wanted, given] = [sum(truth), sum(found)]
  return {
    precision: given ? shared / given : wanted ? 0 : 1,
    recall: wanted ? shared / wanted : given ? 0 : 1,
  }
}

/** The measure of WCXB: the words of a page, whatever their order. */
function web(folder: string, split: string): void {
  const byKind = new Map<string, number[]>()
  const times: number[] = []
  const edges: (Edges | undefined)[] = []
  for (const file of globSync('ground-truth/*.json', { cwd: folder })) {
    const { url, ground_truth: truth, _internal: about } = json(join(folder, file))
    const named = about?.page_type?.primary ?? about?.page_type ?? 'article'
    const kind = named === 'category' ? 'collection' : named
    const html = text(join(folder, 'html', `${basename(file, '.json')}.html.gz`))
    const { text: found } = timed(html, url, times)
    if (kind === 'article') edges.push(edgesOf(truth.main_content ?? '', found))
    const score = overlap(counted(truth.main_content ?? ''), counted(found))
    const { precision, recall } = score
    const f1 = precision + recall ? (2 * precision * recall) / (precision + recall) : 0
    for (const name of ['all', kind]) byKind.set(name, [...(byKind.get(name) ?? []), f1])
  }
  const kinds = [...byKind].sort(([, a], [, b]) => b.length - a.length)
  console.log(
    `WCXB ${split}: ${kinds.map(([kind, all]) => `${kind} ${mean(all).toFixed(3)} (${all.length})`).join(', ')}; of articles ${edgesText(edges)}; ${cost(times)}`,
  )
}

function counted(from: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of tokens(from.toLowerCase())) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Every PDF is text or a named refusal, and none takes over 10 s. */
async function documents(folder: string, files: readonly string[]): Promise<void> {
  const ends = new Map<string, number>()
  const times: number[] = []
  const reader = openReading()
  for (const file of files) {
    const bytes = readFileSync(join(folder, file))
    const startedAt = performance.now()
    const found = await reader.pdf({ bytes, mostBytes: 800_000 })
    times.push(performance.now() - startedAt)
    const end =
      'refusal' in found
        ? found.refusal
        : 'unreadable' in found
          ? found.unreadable
          : found.pages.some(({ text: page }) => page)
            ? 'text'
            : 'no text'
    if (end !== 'text') console.log(`  ${file}: ${end}`)
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }
  await reader.close()
  console.log(
    `PDFs (${files.length}): ${[...ends].map(([end, count]) => `${end} ${count}`).join(', ')}; ${mean(times).toFixed(0)} ms each, the longest ${Math.max(...times).toFixed(0)} ms`,
  )
}

/** ROUGE-1 of summaries of 100 words against those of people. */
function news(folder: string): void {
  const files = globSync('Summaries/*/*.txt', { cwd: folder }).sort()
  const ours: number[] = []
  const leads: number[] = []
  for (const file of files) {
    const whole = readFileSync(join(folder, file.replace('Summaries', 'News Articles')), 'latin1')
    const reference = counted(readFileSync(join(folder, file), 'latin1'))
    const [title = '', ...rest] = whole.split('\n')
    const body = rest.join('\n').trim() || title
    const lead = wordsOf(body).slice(0, 100).join(' ')
    const summary = extractiveSummary(body, 100)
    if (summary === undefined) continue
    for (const [all, text] of [
      [ours, summary],
      [leads, lead],
    ] as const) {
      const { precision, recall } = overlap(reference, counted(text))
      all.push(precision + recall ? (2 * precision * recall) / (precision + recall) : 0)
    }
  }
  console.log(
    `news (${files.length}, of which ${files.length - ours.length} have no sentence that stands alone): ROUGE-1 F1 ${mean(ours).toFixed(4)}, of the first 100 words ${mean(leads).toFixed(4)}`,
  )
}
