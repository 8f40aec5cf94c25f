/** The main text of a page, for every operation that shows or summarises it. */

import type { Main } from '../../pipelines/domains/document/page/main.ts'
import { isUnreadable, mainLookup, type Unreadable, visibleLookup } from '../../pipelines/lookups/document.ts'
import type { Page } from '../../pipelines/rails/outside/pages/page.ts'
import type { Refusal, Tools } from './operation.ts'

/** The refusals of such an operation, beside those of pages. */
export const mainTextRefusals = {
  empty_page: { status: 422, about: 'The page has no text' },
  behind_paywall: {
    status: 422,
    about: 'The page declares that its text is not free, and shows no more than a beginning',
  },
} as const satisfies Record<string, Refusal>

/** What is shorter is the beginning of a text, where the page sells the rest. */
const teaser = 1_000

type MainRefusal = 'page_too_large' | keyof typeof mainTextRefusals

/** Finds the main text, or refuses. A page from the browser is read as the browser showed it. */
export async function mainTextOf(
  page: Page,
  { find }: Pick<Tools, 'find'>,
  refuse: (code: MainRefusal, message: string) => never,
): Promise<Pick<Main, 'title' | 'lang' | 'text' | 'markdown'>> {
  const { rendered } = page
  const isPlain = !rendered && /^text\/(?:plain|markdown)$|json$/.test(page.contentType)
  const main: Shown | Unreadable | undefined = await (isPlain
    ? find(visibleLookup, page)
    : find(mainLookup, page))
  if (!main) throw new Error('the lookup of texts answers every question')
  if (isUnreadable(main))
    return refuse('page_too_large', `The page is too intricate to be read: ${main.unreadable}`)
  if (!main.text) return refuse('empty_page', 'The page has no text')
  const { title, lang, text, markdown = text, isPaid = false } = main
  if (isPaid && text.length < teaser)
    return refuse(
      'behind_paywall',
      `The page declares that its text is not free, and shows ${text.length} letters of it`,
    )
  return { title: title || rendered?.title || '', lang, text, markdown }
}

type Shown = Pick<Main, 'title' | 'lang' | 'text'> & Partial<Main>
