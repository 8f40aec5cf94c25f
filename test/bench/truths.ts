/**
 * How often the first and the last paragraph of a truth that people wrote are in the text that is read, over several corpora
 * together: `npm run bench -- reading pooled <folder>…`. Each folder is a clone, known by what it holds: the benchmark of articles, WCXB
 * (the articles of both halves), the pages of Fundus' tests, or DAnIEL.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { mainOf } from '../../pipelines/domains/document/page/main.ts'
import { type Edges, edgesOf, edgesText } from './edges.ts'

interface Page {
  corpus: string
  html: string
  url?: string | undefined
  truth: string
}

const packed = (file: string): string => gunzipSync(readFileSync(file)).toString('utf8')
const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

function* articles(folder: string): Generator<Page> {
  const truths: Record<string, { articleBody: string; url?: string }> = json(
    join(folder, 'ground-truth.json'),
  )
  for (const [id, { articleBody: truth, url }] of Object.entries(truths)) {
    const file = join(folder, 'html', `${id}.html.gz`)
    if (existsSync(file)) yield { corpus: 'benchmark of articles', html: packed(file), url, truth }
  }
}

function* wcxb(folder: string): Generator<Page> {
  for (const half of ['dev', 'test'])
    for (const file of globSync(`${half}/ground-truth/*.json`, { cwd: folder })) {
      const { url, ground_truth: truth, _internal: about } = json(join(folder, file))
      if ((about?.page_type?.primary ?? about?.page_type ?? 'article') !== 'article') continue
      const html = packed(join(folder, half, 'html', `${basename(file, '.json')}.html.gz`))
      yield { corpus: `WCXB, ${half}`, html, url, truth: truth.main_content ?? '' }
    }
}

interface FundusTruth {
  body?: { sections?: { headline?: string[]; paragraphs?: string[] }[] }
}

/** The truths of a publisher stand in the order of its pages. */
function* fundus(folder: string): Generator<Page> {
  for (const file of globSync('tests/resources/parser/test_data/*/*.json', { cwd: folder })) {
    const [at, name] = [join(folder, dirname(file)), basename(file, '.json')]
    const truths = Object.values(json(join(folder, file))) as FundusTruth[]
    const pages = globSync(`${name}_*.html.gz`, { cwd: at }).sort()
    if (truths.length !== pages.length) continue
    const about = existsSync(join(at, 'meta.info')) ? json(join(at, 'meta.info')) : {}
    for (const [i, page] of pages.entries()) {
      const sections = truths[i]?.body?.sections ?? []
      const truth = sections
        .flatMap(each => [...(each.headline ?? []), ...(each.paragraphs ?? [])])
        .join('\n')
      yield { corpus: 'Fundus', html: packed(join(at, page)), url: about[page]?.url, truth }
    }
  }
}

function* daniel(folder: string): Generator<Page> {
  for (const file of globSync('corpora/Corpus_daniel_v2.1/html/*', { cwd: folder })) {
    const reference = join(folder, file.replace('/html/', '/reference/'))
    if (!existsSync(reference)) continue
    const truth = readFileSync(reference, 'utf8').replace(/<[^<>]{1,9}>/g, '\n')
    yield { corpus: 'DAnIEL', html: readFileSync(join(folder, file), 'utf8'), truth }
  }
}

const kinds: [path: string, read: (folder: string) => Generator<Page>][] = [
  ['ground-truth.json', articles],
  ['dev/ground-truth', wcxb],
  ['tests/resources/parser/test_data', fundus],
  ['corpora/Corpus_daniel_v2.1', daniel],
]

interface Figures {
  f1: number[]
  edges: (Edges | undefined)[]
}

export function pooled(folders: readonly string[]): void {
  const figures = new Map<string, Figures>()
  for (const folder of folders) {
    const read = kinds.find(([path]) => existsSync(join(folder, path)))?.[1]
    if (!read)
      throw new Error(`${folder} holds no corpus of these: ${kinds.map(([path]) => path).join(', ')}`)
    for (const { corpus, html, url, truth } of read(folder)) {
      if (!truth.trim()) continue
      const { text } = mainOf(html, url)
      for (const name of [corpus, 'all']) {
        const each = figures.get(name) ?? { f1: [], edges: [] }
        each.f1.push(f1Of(truth, text))
        each.edges.push(edgesOf(truth, text))
        figures.set(name, each)
      }
    }
  }
  for (const [name, { f1, edges }] of figures)
    console.log(
      `${name} (${f1.length}): F1 of words ${(f1.reduce((sum, each) => sum + each, 0) / f1.length).toFixed(4)}, ${edgesText(edges)}`,
    )
}

/** Of the words, whatever their order. */
function f1Of(truth: string, found: string): number {
  const [wanted, given] = [countsOf(truth), countsOf(found)]
  let [shared, all] = [0, 0]
  for (const [word, count] of wanted) {
    shared += Math.min(count, given.get(word) ?? 0)
    all += count
  }
  for (const count of given.values()) all += count
  return all ? (2 * shared) / all : 1
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
    counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
