/** The main text of a page, for every operation that shows or summarises it. */

import type { Main } from '../../pipelines/domains/document/page/main.ts'
import { isUnreadable, mainLookup, type Unreadable, visibleLookup } from '../../pipelines/lookups/document.ts'
import type { Page } from '../../pipelines/rails/outside/pages/page.ts'
import type { Refusal, Tools } from './operation.ts'

/** What such an operation refuses beside the refusals of pages. */
export const mainTextRefusals = {
  empty_page: { status: 422, about: 'The page has no text' },
} as const satisfies Record<string, Refusal>

type MainRefusal = 'page_too_large' | keyof typeof mainTextRefusals

/** Finds the main text, or refuses. A page that a browser has shown is read as it was shown. */
export async function mainTextOf(
  page: Page,
  { find }: Pick<Tools, 'find'>,
  refuse: (code: MainRefusal, message: string) => never,
): Promise<Pick<Main, 'title' | 'lang' | 'text' | 'markdown'>> {
  const { rendered } = page
  const isPlain = !rendered && page.contentType === 'text/plain'
  const main: Shown | Unreadable | undefined = await (isPlain
    ? find(visibleLookup, page)
    : find(mainLookup, page))
  if (!main) throw new Error('the lookup of texts answers every question')
  if (isUnreadable(main))
    return refuse('page_too_large', `The page is too intricate to be read: ${main.unreadable}`)
  if (!main.text) return refuse('empty_page', 'The page has no text')
  const { title, lang, text, markdown = text } = main
  return { title: title || rendered?.title || '', lang, text, markdown }
}

type Shown = Pick<Main, 'title' | 'lang' | 'text'> & Partial<Main>
