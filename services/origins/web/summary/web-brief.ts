/** What does this page say, in few words? */
import { z } from 'zod'
import { mainTextOf, mainTextRefusals, textAnswer } from '../../../offer/main-text.ts'
import { defineOperation } from '../../../offer/operation.ts'
import {
  pageAnswer,
  pageAnswered,
  pageExample,
  pageOf,
  pageQuestion,
  pageRefusals,
} from '../../../offer/pages.ts'
import { maxWords, summaryAnswer, summaryOf, summaryRefusals } from './summary.ts'

export const webBrief = defineOperation({
  id: 'briefWebPage',
  path: '/web/brief',
  price: '0.007',
  inBrief: 'Title and summary of a public web page.',
  costs: 'costly',
  sold: 'Sold if text was read; `left_out` tells what was not.',
  title: 'A summary of a web page',
  about:
    'Title, final URL and a summary of the main text of a public web page, at most max_words long. Navigation, offers and notices are left out before. A page that needs scripts is shown in a browser first. Extractive: the summary consists of whole sentences of the page, unless method says model. What cannot be read, is no longer than max_words or has no sentence that stands alone is free.',
  tags: ['web', 'summary', 'page'],
  request: z.strictObject({ ...pageQuestion, max_words: maxWords(150) }),
  response: z.strictObject({ ...pageAnswer, title: z.string(), ...textAnswer, ...summaryAnswer }),
  refusals: { ...pageRefusals, ...mainTextRefusals, ...summaryRefusals },
  example: {
    request: { url: 'http://news.sample/night-ferry', max_words: 50 },
    response: {
      ...pageExample('http://news.sample/night-ferry', '2026-11-22T12:00:00.000Z'),
      title: 'Night ferry returns to the northern islands',
      declared_paid: false,
      left_out: { frames: [], hidden_letters: 0 },
      summary:
        'After eleven years without a night crossing, the northern islands will again be reached by ferry after dark. The harbour board said on Tuesday that the first boat leaves at 22:40 on the first of March, and that it will sail on five nights of the week.',
      words: 48,
      method: 'extractive',
    },
  },
  async answer({ url, max_words, max_age_seconds }, tools, refuse) {
    const page = await pageOf({ url, render: 'when thin', maxAgeMs: max_age_seconds * 1000 }, tools, refuse)
    const { title, text, told } = await mainTextOf(page, tools, refuse)
    const { summary, words, method } = await summaryOf(text, max_words, tools, refuse)
    return { ...pageAnswered(page), title, ...told, summary, words, method }
  },
})
