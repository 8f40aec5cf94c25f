/** What the sandbox says once it is up: where to go, and what is real about it. */
import type { Sandbox } from './sandbox.ts'

const upstreamTitles: Record<string, string> = {
  ECB_URL: 'ECB rates',
  FAA_URL: 'FAA airport status',
  NWS_URL: 'NWS weather',
  CENSUS_URL: 'Census geocoder',
  CATALOG_URL: 'catalog of x402 sellers',
  SEC_DATA_URL: 'SEC filings and facts',
  SEC_WWW_URL: 'SEC tickers and current filings',
}

export function banner({
  service: { url, store },
  chains,
  upstreams,
  folder,
  ownIpDatabase,
}: Sandbox): string {
  const question = `'{"from":"USD","to":"JPY"}'`
  const elsewhere = folder === './data/sandbox' ? '' : `DATA_DIR=${folder} `
  const call = `${elsewhere}npm run call -- /fx ${question}`
  const said: [string, ...string[]][] = [
    ['catalog', url],
    ['the 402', `curl -i -X POST ${url}/fx`],
    ['a paid call', call, ...chains.slice(1).map(({ network }) => `${call} --network ${network}`)],
    ['health', `${url}/health`],
    ['metrics', `${url}/metrics`],
    ...(store
      ? ([
          [
            'analysts',
            `curl '${store.http}/?user=analyst' -d 'select tool, network, price_usdc, payment_tx from receipts format PrettyCompact'`,
            ...(store.tcp ? [`native protocol on ${store.tcp}, user analyst`] : []),
          ],
        ] as [string, ...string[]][])
      : []),
    [
      'upstreams',
      ...Object.entries(upstreamTitles).map(
        ([name, title]) =>
          `${title}: ${upstreams.samples.has(name as never) ? 'bundled sample, not live' : 'live'}`,
      ),
      `places of IP addresses: ${ownIpDatabase ? 'your IP_DATABASE' : 'bundled sample; set IP_DATABASE to a DB-IP City Lite file for all of them'}`,
    ],
  ]
  const lines = said.flatMap(([what, ...parts]) =>
    parts.map((part, i) => `  ${(i ? '' : what).padEnd(12)} ${part}`),
  )
  return [
    '',
    'Farebox, the sandbox: everything runs here, and the money is play money on chains of its own.',
    '',
    ...lines,
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n')
}
