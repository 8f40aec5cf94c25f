/** What does a public page say? */
import { z } from 'zod'
import { mostChars } from '../../../pipelines/domains/document/reader.ts'
import { isUnreadable, visibleLookup } from '../../../pipelines/lookups/document.ts'
import type { Page } from '../../../pipelines/rails/outside/pages/page.ts'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import { mainTextOf, mainTextRefusals, textAnswer, textAnswered } from '../../offer/main-text.ts'
import { defineOperation } from '../../offer/operation.ts'
import {
  pageAnswer,
  pageAnswered,
  pageExample,
  pageOf,
  pageQuestion,
  pageRefusals,
} from '../../offer/pages.ts'

type Shown = Omit<Awaited<ReturnType<typeof mainTextOf>>, 'markdown'>
type Asking = Parameters<typeof mainTextOf> extends [Page, ...infer Rest] ? Rest : never

const exampleText = [
  'Tide board\nSample Harbour\n\nThis table was drawn by a script. The server sent an empty page.\n',
  'time\ttide\theight\n03:12\thigh\t4.31 m\n09:25\tlow\t0.87 m\n15:38\thigh\t4.52 m\n21:50\tlow\t0.74 m',
  'A sample page of the sandbox. Nothing on it is real.',
].join('\n')

export const read = defineOperation({
  id: 'readPage',
  path: '/read',
  price: '0.002',
  inBrief: 'The text of a public web page. One that scripts make is rendered in a browser first.',
  costs: 'looked up',
  sold: 'Sold if text was read; `left_out` tells what was not.',
  trial: true,
  ofModels: { format: 'main', max_chars: 20_000 },
  title: 'The text of a web page',
  about:
    'The visible text of any public page. A page that says little without its scripts is rendered in a real browser first, and the answer says so. It carries the final URL, the status, how old the copy is, and the SHA-256 of the text. A page that cannot be read is free.',
  tags: ['web', 'reader', 'scrape', 'text'],
  request: z.strictObject({
    ...pageQuestion,
    format: z
      .enum(['visible', 'main', 'markdown'])
      .default('visible')
      .describe(
        'visible: what a reader sees; main: the content alone, without navigation, offers and notices; markdown: the content with its headings, lists, tables and links',
      ),
    max_chars: z
      .int()
      .min(1)
      .max(mostChars)
      .default(200_000)
      .describe('The text is cut after so many characters'),
  }),
  response: z.strictObject({
    ...pageAnswer,
    title: z.string(),
    text: z.string(),
    lang: z.string().nullable().describe('As the page says'),
    format: z.string(),
    rendered: z.boolean().describe('Whether a browser has shown the page'),
    ...textAnswer,
    truncated: z.boolean(),
    text_sha256: z.string().describe('Of `text`, in UTF-8'),
  }),
  refusals: { ...pageRefusals, ...mainTextRefusals },
  example: {
    request: { url: 'http://tides.sample/' },
    response: {
      ...pageExample('http://tides.sample/', '2026-11-22T11:00:00.000Z'),
      title: 'Tide board: Sample Harbour',
      text: exampleText,
      lang: 'en',
      format: 'visible',
      rendered: true,
      declared_paid: false,
      left_out: { frames: [], hidden_letters: 0 },
      truncated: false,
      text_sha256: sha256(exampleText),
    },
  },
  async answer({ url, max_age_seconds, format, max_chars }, tools, refuse) {
    const page = await pageOf({ url, render: 'when thin', maxAgeMs: max_age_seconds * 1000 }, tools, refuse)
    const { title, lang, text, told } =
      format === 'visible' ? await visible(page, tools, refuse) : await content(page, format, tools, refuse)
    if (text === '') refuse('empty_page', `${new URL(page.finalUrl).hostname} sends a page without text`)
    const cut = beginning(text, max_chars)
    return {
      ...pageAnswered(page),
      title,
      text: cut,
      lang,
      format,
      rendered: page.rendered !== undefined,
      ...told,
      truncated: cut.length < text.length,
      text_sha256: sha256(cut),
    }
  },
})

async function content(page: Page, format: 'main' | 'markdown', ...asking: Asking): Promise<Shown> {
  const { text, markdown, ...more } = await mainTextOf(page, ...asking)
  return { ...more, text: format === 'main' ? text : markdown }
}

async function visible(page: Page, { find }: Asking[0], refuse: Asking[1]): Promise<Shown> {
  const found = await find(visibleLookup, page)
  if (!found) throw new Error('the lookup of texts answers every question')
  if (isUnreadable(found))
    return refuse('page_too_large', `The page takes too much to be read: ${found.unreadable}`)
  const { title, lang, text } = { ...found, ...titlesOf(page) }
  return { title, lang, text, told: textAnswered(found, refuse) }
}

/** A script may have set them. */
const titlesOf = ({ rendered }: Page) => rendered && { title: rendered.title, lang: rendered.lang }

/** Cuts a text without splitting a character. */
const beginning = (text: string, most: number): string => {
  const isSplit = /[\uD800-\uDBFF]/.test(text[most - 1] ?? '') && text.length > most
  return text.slice(0, isSplit ? most - 1 : most).toWellFormed()
}
