/** The main text of a page, for every operation that shows or summarises it. */

import { z } from 'zod'
import type { Main } from '../../pipelines/domains/document/page/main.ts'
import type { TextFacts } from '../../pipelines/domains/document/page-child.ts'
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

/** The response fields that say what is not in a text of a page. */
export const textAnswer = {
  declared_paid: z
    .boolean()
    .describe('The page declares that its text is not free (isAccessibleForFree); what it shows is here'),
  left_out: z
    .strictObject({
      frames: z
        .array(z.string())
        .describe('The addresses of documents of others that the page shows in frames, at most 20'),
      hidden_letters: z
        .int()
        .describe('Letters that nobody sees: without size, off the screen, in the colour of the paper'),
    })
    .describe('What is on the page and not in its text'),
}

type MainRefusal = 'page_too_large' | keyof typeof mainTextRefusals
type Refuse = (code: MainRefusal, message: string) => never

/** Finds the main text, or refuses. A page from the browser is read as the browser showed it. */
export async function mainTextOf(
  page: Page,
  { find }: Pick<Tools, 'find'>,
  refuse: Refuse,
): Promise<Pick<Main, 'title' | 'lang' | 'text' | 'markdown'> & { told: TextAnswer }> {
  const { rendered } = page
  const isPlain = !rendered && /^text\/(?:plain|markdown)$|json$/.test(page.contentType)
  const main: Shown | Unreadable | undefined = await (isPlain
    ? find(visibleLookup, page)
    : find(mainLookup, page))
  if (!main) throw new Error('the lookup of texts answers every question')
  if (isUnreadable(main))
    return refuse('page_too_large', `The page is too intricate to be read: ${main.unreadable}`)
  if (!main.text) return refuse('empty_page', 'The page has no text')
  const { title, lang, text, markdown = text } = main
  return { title: title || rendered?.title || '', lang, text, markdown, told: textAnswered(main, refuse) }
}

type Shown = Pick<Main, 'title' | 'lang' | 'text'> & TextFacts & Partial<Main>
type TextAnswer = z.output<z.ZodObject<typeof textAnswer>>

/** Says what is not in the text, or refuses where no more than its beginning is there. */
export function textAnswered({ access, frames, hidden }: TextFacts, refuse: Refuse): TextAnswer {
  if (access === 'withheld')
    return refuse(
      'behind_paywall',
      'The page declares that its text is not free, and shows no more than a beginning',
    )
  return { declared_paid: access === 'paid', left_out: { frames, hidden_letters: hidden } }
}
