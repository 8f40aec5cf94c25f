/** Serper: the results of Google. */
import { z } from 'zod'
import { readJson } from '../../rails/formats/json.ts'
import { dayOf } from './day.ts'
import { type AnswerBox, plain, resultsOf, type SearchApi } from './results.ts'

const text = z.string().optional()
const answer = z.looseObject({
  organic: z.array(z.looseObject({ title: text, link: text, snippet: text, date: text })).default([]),
  answerBox: z.looseObject({ title: text, answer: text, snippet: text, link: text }).optional(),
  searchParameters: z.looseObject({}),
})

export const serper: SearchApi = {
  credit: 'Google by way of Serper',
  live: 'https://google.serper.dev',
  request: ({ query, num, country }, token) => ({
    path: '/search',
    headers: token ? { 'x-api-key': token } : {},
    body: { q: query, num, ...(country ? { gl: country } : {}) },
  }),
  read(body, from, now) {
    const { organic, answerBox: box } = readJson(answer, body, from)
    return {
      results: resultsOf(
        organic.map(({ title, link, snippet, date }) => ({
          title,
          url: link,
          snippet,
          date: dayOf(date, now),
        })),
      ),
      answerBox: box ? boxOf(box) : null,
    }
  },
}

const boxOf = (box: NonNullable<z.output<typeof answer>['answerBox']>): AnswerBox => ({
  title: plain(box.title) || null,
  answer: plain(box.answer) || null,
  snippet: plain(box.snippet) || null,
  url: box.link ?? null,
})
