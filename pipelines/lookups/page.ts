/** A public page, as its server sends it or as a browser shows it. */
import { pages } from '../domains/document/pages.ts'
import type { FindPage, NoPage, Page, PageAsked } from '../rails/outside/pages/page.ts'
import type { Lookup } from './lookup.ts'

interface Needs {
  pages: FindPage
  pageAtHand?: ((asked: PageAsked) => Page | undefined) | undefined
}

export const pageLookup: Lookup<PageAsked, Page | NoPage, Needs> = {
  name: 'page',
  timeoutMs: 28_000,
  // A browser shows it.
  costly: { mayBe: ({ render }) => render !== 'never', was: found => found?.rendered !== undefined },
  async needs({ use }) {
    const { find, atHand } = await use(pages)
    return { pages: find, pageAtHand: atHand }
  },
  open: ({ pages, pageAtHand }) => ({
    find: asked => pages(asked),
    ...(pageAtHand && { atHand: pageAtHand }),
  }),
}
