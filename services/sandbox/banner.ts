/** The text that the sandbox prints once it runs: its addresses, and the upstreams that are live. */
import { shopUrl } from '../origins/watch/examples.ts'
import { weighSubscribe } from '../origins/watch/weigh/subscribe.ts'
import type { Sandbox } from './sandbox.ts'
import type { SampleChoice } from './upstreams.ts'

export function banner(sandbox: Sandbox, hasCanary: boolean): string {
  const { service, origins, chains, upstreams, folder, logUrl } = sandbox
  const { url, store } = service
  const question = `'{"from":"USD","to":"JPY"}'`
  const elsewhere = folder === './data/sandbox' ? '' : `DATA_DIR=${folder} `
  const call = `${elsewhere}npm run call -- /fx ${question}`
  const parts: [string, ...string[]][] = [
    ['catalog', url],
    ['the 402', `curl -i -X POST ${url}/fx`],
    ['a paid call', call, ...chains.slice(1).map(({ network }) => `${call} --network ${network}`)],
    [
      'what is sold',
      ...origins.flatMap(({ title, operations }) => {
        // The question of weigh is a message that a wallet signs anew each time: `npm run call -- weigh` signs one.
        const first = operations.find(({ path }) => path !== weighSubscribe.path)
        return first
          ? `${title}: ${elsewhere}npm run call -- ${first.path} '${JSON.stringify(first.example.request)}'`
          : []
      }),
    ],
    [
      'watching',
      `${elsewhere}npm run call -- weigh          has ${shopUrl} watched for its payee`,
      `${elsewhere}npm run call -- weigh stop     shuts it (weigh start opens it); in seconds its webhook hears of it`,
      `${elsewhere}npm run call -- weigh heard    shows what the webhook heard`,
    ],
    ...shows(elsewhere, url),
    ...(hasCanary
      ? ([['the canary', `buys every two minutes from a process of its own: ${url}/status`]] as [
          string,
          string,
        ][])
      : []),
    ['MCP', `${url}/mcp`],
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
    ['upstreams', ...upstreams.choices.filter(({ upstream }) => !upstream.standsInFor).map(lineOf)],
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

/** What a command has happen. */
const shows = (elsewhere: string, url: string): [string, ...string[]][] => [
  [
    'facilitators',
    `${elsewhere}npm run call -- facilitator 1 stop   kills the first of two (hang, slow, lie, delist, work): sales go on at the other`,
    `${url}/status shows how each fares`,
  ],
  [
    'a pool',
    `${elsewhere}npm run call -- skew   has somebody move the price of the play token: /chain/price says so for a minute and a half`,
  ],
  [
    'money back',
    `${elsewhere}npm run call -- refund <request_id>   gives the price of a call back, once`,
    `${elsewhere}npm run call -- correct   buys a rate that its bank corrects: the buyer hears of it, and has his money back`,
  ],
]

function lineOf({ upstream: { title, replacedBy = '' }, is }: SampleChoice): string {
  if (is === 'live') return `${title}: live`
  if (is === 'brought') return `${title}: your ${replacedBy}`
  return `${title}: bundled sample, not live${replacedBy && `; set ${replacedBy} to use your own`}`
}
