/** What the sandbox says once it is up: where to go, and what is real about it. */
import type { Sandbox } from './sandbox.ts'
import type { Found } from './upstreams.ts'

export function banner({ service: { url, store }, chains, upstreams, folder, logUrl }: Sandbox): string {
  const question = `'{"from":"USD","to":"JPY"}'`
  const elsewhere = folder === './data/sandbox' ? '' : `DATA_DIR=${folder} `
  const call = `${elsewhere}npm run call -- /fx ${question}`
  const parts: [string, ...string[]][] = [
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
    ['the log', `LOG_URL=${logUrl} npm run log -- tail settlements`],
    ['upstreams', ...upstreams.found.map(said)],
  ]
  const lines = parts.flatMap(([what, ...rows]) =>
    rows.map((row, i) => `  ${(i ? '' : what).padEnd(12)} ${row}`),
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

function said({ upstream: { title, replacedBy = '' }, is }: Found): string {
  if (is === 'live') return `${title}: live`
  if (is === 'brought') return `${title}: your ${replacedBy}`
  return `${title}: bundled sample, not live${replacedBy && `; bring your own by ${replacedBy}`}`
}
