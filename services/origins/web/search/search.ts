/** What does the web say about this? */
import { z } from 'zod'
import { defineOperation } from '../../../offer/operation.ts'
import { answerBox, query, result, search as searchFor, searchRefusals, source } from './found.ts'

export const search = defineOperation({
  id: 'searchWeb',
  path: '/search',
  price: '0.003',
  inBrief: 'Web search: title, URL, snippet and day of each result, and the answer box if there is one.',
  costs: 'costly',
  sold: 'whole',
  title: 'Web search',
  about:
    'The top results of a web search, each with title, URL, snippet and the day of the page where it is known, and the answer box if there is one. Days that the upstream writes as "2 days ago" come as YYYY-MM-DD. source says who was asked. No result is free.',
  tags: ['search', 'web', 'serp'],
  request: z.strictObject({
    query,
    num: z.int().min(1).max(20).default(10).describe('At most as many results'),
    country: z
      .string()
      .trim()
      .regex(/^[a-zA-Z]{2}$/, 'a country code of two letters')
      .toLowerCase()
      .optional()
      .describe('Results as they are seen from this country, such as us'),
  }),
  response: z.strictObject({ results: z.array(result), answer_box: answerBox, source }),
  refusals: searchRefusals,
  example: {
    request: { query: 'night ferry', num: 2 },
    response: {
      results: [
        {
          position: 1,
          title: 'Night ferry returns to the northern islands',
          url: 'http://news.sample/night-ferry',
          snippet:
            'After eleven years without a night crossing, the northern islands will again be reached by ferry.',
          date: '2026-10-14',
        },
        {
          position: 2,
          title: 'Ferry timetable (PDF)',
          url: 'http://files.sample/timetable.pdf',
          snippet: 'When the ferry leaves in winter, and what a seat, a berth and a car cost.',
          date: null,
        },
      ],
      answer_box: null,
      source: 'SearXNG',
    },
  },
  async answer({ query: asked, num, country }, tools, refuse) {
    const {
      results,
      answerBox: box,
      source: from,
    } = await searchFor({ query: asked, num, country }, tools, refuse)
    return { results, answer_box: box, source: from }
  },
})
