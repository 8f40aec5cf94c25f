/** The page of /fx as a seller of real money shows it. The sandbox has none, since signatures of real wallets would be worth money. */
import type { Page } from 'playwright-core'
import { networks } from '../../../schemas/tables/networks.ts'
import { data } from '../../../services/origins/data/origin.ts'
import { docsPage } from '../../../services/query/catalog/docs-page.ts'
import { type Offered, offeredBy } from '../../../services/query/catalog/offered.ts'
import { scriptHeaders } from '../../../services/query/face/layout.ts'
import { originOf } from '../an-origin.ts'

function sellersPage(url: string): string {
  const wallets = (['base', 'solana'] as const).map(name => {
    const { caip2: id, title, asset, explorer } = networks[name]
    return { id, title, asset, explorer, ...(name === 'base' && { domain: networks[name].domain }) }
  })
  const open = originOf(data.operations, { url })
  const offered = offeredBy([open]).find(({ path }) => path === '/fx')
  const told = { contact: 'a@b.example', paidOn: 'Base', requestsAMinute: 600, mcpUrl: `${url}/mcp`, wallets }
  return docsPage(offered as Offered, told)
}

export async function showSellersPage(page: Page, url: string): Promise<void> {
  const answer = { contentType: 'text/html', headers: scriptHeaders, body: sellersPage(url) }
  await page.route('**/docs/fx', route => route.fulfill(answer))
}
