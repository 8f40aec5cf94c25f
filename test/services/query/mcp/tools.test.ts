/** What the tools of the house say about themselves over MCP. */
import { expect, it } from 'vitest'
import { origins } from '../../../../services/origins/index.ts'
import { priced, soldBy } from '../../../../services/query/mcp/tools.ts'

const open = origins.map(origin => ({ ...origin, url: 'https://farebox.example' }))
const tools = soldBy(open).map(priced)

it('a tool that begins something is not called read-only', () => {
  const changing = tools.filter(
    ({ annotations }) => !annotations?.readOnlyHint || !annotations.idempotentHint,
  )
  expect(changing.map(({ name }) => name).toSorted()).toEqual(
    ['weigh_subscribe', 'watch_subscribe', 'crawl_small', 'crawl'].toSorted(),
  )
})

it('what a tool needs from a free route is a tool too', () => {
  const free = open.flatMap(origin => origin.free.flatMap(({ tool }) => tool ?? []))
  expect(free).toContain('weigh_prepare')
})
