/** Brave Search: an index of its own. */
import { z } from 'zod'
import { readJson } from '../../rails/formats/json.ts'
import { dayOf } from './day.ts'
import { type AnswerBox, plain, resultsOf, type SearchApi } from './results.ts'

const text = z.string().nullish()
const box = z.looseObject({ title: text, description: text, long_desc: text, url: text })
const answer = z.looseObject({
  type: z.literal('search'),
  web: z
    .looseObject({
      results: z.array(
        z.looseObject({ title: z.string(), url: z.string(), description: text, page_age: text, age: text }),
      ),
    })
    .optional(),
  infobox: z.looseObject({ results: z.union([z.array(box), box]) }).optional(),
})

export const brave: SearchApi = {
  credit: 'Brave Search',
  live: 'https://api.search.brave.com',
  request: ({ query, num, country }, token) => ({
    path: `/res/v1/web/search?${new URLSearchParams({ q: query, count: String(num), ...(country ? { country: country.toUpperCase() } : {}) })}`,
    headers: token ? { 'x-subscription-token': token } : {},
  }),
  read(body, from, now) {
    const { web, infobox } = readJson(answer, body, from)
    const [first] = infobox ? [infobox.results].flat() : []
    return {
      results: resultsOf(
        (web?.results ?? []).map(({ title, url, description, page_age, age }) => ({
          title,
          url,
          snippet: description ?? '',
          date: dayOf(page_age, now) ?? dayOf(age, now),
        })),
      ),
      answerBox: first ? boxOf(first) : null,
    }
  },
}

const boxOf = ({ title, description, long_desc, url }: z.output<typeof box>): AnswerBox => ({
  title: plain(title ?? '') || null,
  answer: null,
  snippet: plain(long_desc || description || '') || null,
  url: url ?? null,
})
