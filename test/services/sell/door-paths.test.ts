/** No file takes a path that every host has. */
import { expect, it } from 'vitest'
import { readConfig } from '../../../services/config/config.ts'
import { lineagePages } from '../../../services/pages/lineage.ts'
import { marketPage } from '../../../services/pages/market.ts'
import { statusPages } from '../../../services/pages/status.ts'
import { catalogPages } from '../../../services/query/catalog/pages.ts'
import { mcpPath } from '../../../services/query/mcp/endpoint.ts'
import { receiptRoutes } from '../../../services/query/signing/routes.ts'
import { healthPages } from '../../../services/roles/health.ts'
import { playPayment } from '../../../services/sandbox/play-payment.ts'
import { fileOf } from './reading.ts'
import { scratchFile } from './scratch-file.ts'

const options = { contact: '', paidOn: '', requestsAMinute: 1, mcpUrl: '', play: playPayment([]) }
const pages = [
  ...catalogPages(options),
  ...healthPages({} as never),
  ...[marketPage({} as never, ''), ...statusPages({} as never, ''), ...lineagePages('')],
]
const paths = [...pages, ...receiptRoutes({ addresses: [] })].map(({ path }) => path)

it.each([...paths, mcpPath].filter(path => /^\/[a-z/*-]+$/.test(path)))('%s', path => {
  const file = scratchFile('tides.yaml', fileOf().replace('/tide:', `${path.replace('*', 'tide')}:`))
  expect(() => readConfig({ SELL: file })).toThrow('something else is at this path already')
})
