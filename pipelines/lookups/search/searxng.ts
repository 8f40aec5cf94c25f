/** SearXNG: a search engine of the operator's own, which asks others. Its settings must allow `format=json`. */
import { z } from 'zod'
import { readJson } from '../../rails/formats/json.ts'
import { dayOf } from './day.ts'
import { type AnswerBox, plain, resultsOf, type SearchApi } from './results.ts'

const text = z.string().nullish()
const answer = z.looseObject({
  results: z.array(z.looseObject({ title: text, url: text, content: text, publishedDate: text })),
  /** Plain text in older versions. */
  answers: z.array(z.union([z.string(), z.looseObject({ answer: text, url: text })])).default([]),
  infoboxes: z
    .array(
      z.looseObject({
        infobox: text,
        content: text,
        urls: z.array(z.looseObject({ url: text })).nullish(),
      }),
    )
    .default([]),
})

export const searxng: SearchApi = {
  credit: 'SearXNG',
  request: ({ query, country }) => ({
    path: `/search?${new URLSearchParams({ q: query, format: 'json', ...(country ? { language: localeOf(country) } : {}) })}`,
    headers: {},
  }),
  read(body, from, now) {
    const { results, answers, infoboxes } = readJson(answer, body, from)
    return {
      results: resultsOf(
        results.map(({ title, url, content, publishedDate }) => ({
          title: title ?? '',
          url: url ?? '',
          snippet: content ?? '',
          date: dayOf(publishedDate, now),
        })),
      ),
      answerBox: boxOf(answers[0], infoboxes[0]),
    }
  },
}

/** It takes a country only together with a language: that which most people of the country speak. */
function localeOf(country: string): string {
  const region = country.toUpperCase()
  return `${new Intl.Locale(`und-${region}`).maximize().language}-${region}`
}

type Answered = z.output<typeof answer>

function boxOf(
  first: Answered['answers'][number] | undefined,
  box: Answered['infoboxes'][number] | undefined,
): AnswerBox | null {
  if (first !== undefined) {
    const { answer: said, url } = typeof first === 'string' ? { answer: first, url: null } : first
    return { title: null, answer: plain(said ?? '') || null, snippet: null, url: url ?? null }
  }
  if (!box) return null
  return {
    title: plain(box.infobox ?? '') || null,
    answer: null,
    snippet: plain(box.content ?? '') || null,
    url: box.urls?.[0]?.url ?? null,
  }
}
