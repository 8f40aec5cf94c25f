/** What does this text say, in few words? */
import { z } from 'zod'
import { defineOperation } from '../../../offer/operation.ts'
import { maxWords, summaryAnswer, summaryOf, summaryRefusals } from './summary.ts'

const longest = 100_000

const example = `Light reaches the sea floor only in shallow water. Below two hundred metres there is not enough of it for plants, so animals of the deep live on what sinks from above. Most of what sinks is small: dead plankton, scales and droppings that fall for weeks.`

export const summarize = defineOperation({
  id: 'summarizeText',
  path: '/summarize',
  price: '0.005',
  inBrief: 'A short summary of a text in any language: whole sentences of it, nothing added.',
  costs: 'costly',
  sold: 'whole',
  title: 'A summary of a text',
  about:
    'A short summary of a text in any language, at most max_words long. Extractive: it consists of whole sentences of the text, so it says nothing that the text does not say. Where the operator has set a language model, method is model and its name is given; a number that the text lacks voids what the model wrote. A text that is no longer than max_words is a free 422, and so is one of whose sentences none stands alone.',
  tags: ['summary', 'text', 'summarization'],
  maxBodyBytes: 1 << 20,
  request: z.strictObject({
    text: z
      .string()
      .min(1, 'a text')
      .max(longest, `at most ${longest} characters`)
      .describe(`The text, at most ${longest} characters`),
    max_words: maxWords(100),
  }),
  response: z.strictObject({
    ...summaryAnswer,
    model: z.string().nullable().describe('The language model that wrote it; null: none did'),
  }),
  refusals: summaryRefusals,
  example: {
    request: { text: example, max_words: 25 },
    response: {
      summary:
        'Below two hundred metres there is not enough of it for plants, so animals of the deep live on what sinks from above.',
      words: 23,
      method: 'extractive',
      model: null,
    },
  },
  answer: async ({ text, max_words }, tools, refuse) => summaryOf(text, max_words, tools, refuse),
})
