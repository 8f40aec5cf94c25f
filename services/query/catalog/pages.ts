/** The free pages of the query role: the catalog in the forms its readers know. */
import type { Operation } from '../../operation.ts'
import type { Page } from '../../origin.ts'
import { type ApiInfo, openapi } from './openapi.ts'
import { icon, llms, page, priceList } from './texts.ts'

const json = 'application/json; charset=utf-8'

export function catalogPages(operations: readonly Operation[], info: ApiInfo): Page[] {
  const html = page(operations, info)
  const list = JSON.stringify(priceList(operations, info))
  const fixed = (path: string, type: string, body: string): Page => ({ path, answer: () => ({ type, body }) })
  return [
    {
      path: '/',
      answer: ({ accept }) =>
        accept.includes('text/html')
          ? { type: 'text/html; charset=utf-8', body: html }
          : { type: json, body: list },
    },
    fixed('/openapi.json', json, JSON.stringify(openapi(operations, info))),
    fixed('/llms.txt', 'text/plain; charset=utf-8', llms(operations, info)),
    fixed('/favicon.ico', 'image/svg+xml', icon),
    fixed(
      '/.well-known/x402',
      json,
      JSON.stringify({ version: 1, resources: operations.map(({ path }) => info.publicUrl + path) }),
    ),
  ]
}
