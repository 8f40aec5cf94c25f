/** Plants sellers that the labels must find, and honest ones that they must not accuse. */
import type { Store } from '../../../../pipelines/rails/store/store.ts'
import {
  addressOf,
  day,
  type Listed,
  listing,
  noise,
  type Paid,
  putCatalog,
  putPayments,
  putRanges,
} from './market-store.ts'

export interface Plant {
  kind: string
  /** The labels of severity strong or caution that it must have. An honest seller has none. */
  expect: string[]
  listed: Listed[]
  flows: Paid[]
}

const text = (name: string) => `'${name}'`
const wallets = (host: string, index: string) => addressOf(`concat('${host}', toString(${index}))`)
const span = 30 * day

function one(
  kind: string,
  index: number,
  expect: string[],
  flows: (host: string, payTo: string) => Omit<Paid, 'flow' | 'payTo'>[],
  listed: Partial<Listed> = {},
): Plant {
  const host = `${kind}${index}.sellers.dev`
  const payTo = addressOf(text(`seller ${host}`))
  return {
    kind,
    expect,
    listed: [{ host, calls: 100, payers: 20, ...listed }],
    flows: flows(host, payTo).map((flow, part) => ({ payTo, ...flow, flow: `${host} ${part}` })),
  }
}

/** Customers who joined on different days and since then buy at any time. */
const regulars = (host: string, payers: number, count: number): Omit<Paid, 'flow' | 'payTo'> => ({
  count,
  payer: wallets(host, `number % ${payers}`),
  at: `greatest((number % ${payers}) * ${Math.floor((20 * day) / payers)} + ${noise(text(host), 9 * 3600)}, ${noise(text(`${host}t`), span - 1)})`,
})

const plants: Record<string, (index: number) => Plant> = {
  self: index =>
    one('self', index, ['self_payment'], (host, payTo) => [
      regulars(host, 25, 400),
      { count: 40, payer: payTo, at: noise(text(`${host}s`), span) },
    ]),
  circular: index =>
    one('circular', index, ['circular_funding'], (host, payTo) => [
      { ...regulars(host, 8, 400), amount: '0.5' },
      {
        count: 8,
        payer: payTo,
        payTo: wallets(host, 'number'),
        amount: '24',
        method: 'plain',
        at: `${day} * 2 + number * 7000`,
      },
    ]),
  coordinated: index =>
    one('coordinated', index, ['coordinated_wallets'], host => [
      { count: 3, payer: wallets(`${host}old`, 'number'), at: `number * ${day}` },
      {
        count: 300,
        payer: wallets(host, 'number % 30'),
        at: `${15 * day} + if(number < 30, ${noise(text(host), 1500)}, 1800 + ${noise(text(`${host}b`), 10 * day)})`,
      },
    ]),
  oneshot: index =>
    one('oneshot', index, ['one_shot_crowd'], host => [
      { count: 120, payer: wallets(host, 'number'), at: noise(text(host), span) },
    ]),
  burst: index =>
    one('burst', index, ['burst'], host => [
      regulars(host, 30, 400),
      {
        count: 600,
        payer: wallets(host, `number % 30`),
        at: `${20 * day} + 600 + ${noise(text(`${host}b`), 2400)}`,
      },
    ]),
  single: index =>
    one('single', index, ['single_payer'], host => [
      { count: 3000, payer: wallets(host, '0'), at: noise(text(host), span) },
      { count: 20, payer: wallets(host, '1 + number % 5'), at: noise(text(`${host}o`), span) },
    ]),
}

const honest: Record<string, (index: number) => Plant> = {
  pollers: index =>
    one('pollers', index, [], host => [
      {
        count: 12 * 200,
        payer: wallets(host, 'number % 12'),
        at: `least(${span - 1}, (number % 12) * ${2 * day} + intDiv(number, 12) * 3600 * 2 % ${6 * day} + ${noise(text(host), 3000)})`,
      },
    ]),
  bigclient: index =>
    one('bigclient', index, [], host => [
      { count: 2300, payer: wallets(host, '0'), at: noise(text(host), span) },
      regulars(`${host}x`, 20, 200),
    ]),
  launch: index =>
    one('launch', index, [], host => [
      {
        count: 300,
        payer: wallets(host, 'number % 30'),
        at: `${12 * day} + if(number < 30, ${noise(text(host), 1500)}, 1800 + ${noise(text(`${host}b`), 17 * day)})`,
      },
    ]),
  refunds: index =>
    one(
      'refunds',
      index,
      [],
      (host, payTo) => [
        { ...regulars(host, 20, 600), amount: '1' },
        {
          count: 10,
          payer: payTo,
          payTo: wallets(host, 'number'),
          amount: '2',
          method: 'plain',
          at: `${day} * 3 + number * ${day}`,
        },
      ],
      { price: '1' },
    ),
  small: index => one('small', index, [], host => [regulars(host, 2, 12)], { calls: 12, payers: 2 }),
  weekends: index =>
    one('weekends', index, [], host => [
      {
        count: 900,
        payer: wallets(host, `cityHash64(number) % 40`),
        at: `(${noise(text(`${host}w`), 4)} * 7 + ${noise(text(`${host}d`), 2)}) * ${day} + ${noise(text(host), day)}`,
      },
    ]),
  fixedprice: index =>
    one('fixedprice', index, [], host => [{ ...regulars(host, 60, 900), amount: '0.05' }], { price: '0.05' }),
  cronjob: index =>
    one('cronjob', index, [], host => [
      { count: 720, payer: wallets(host, '0'), at: 'number * 3600 + 17' },
      regulars(`${host}x`, 30, 1000),
    ]),
  solana: index =>
    one('solana', index, [], host => [{ ...regulars(host, 25, 300), network: 'solana' }], {
      network: 'solana',
    }),
  veterans: index =>
    one('veterans', index, [], host => [
      { count: 15, payer: wallets(host, 'number'), at: `- ${40 * day} + number * ${2 * day}` },
      {
        count: 15 * 24,
        payer: wallets(host, 'number % 15'),
        at: `intDiv(number, 15) * ${day} + ${noise(text(host), 900)}`,
      },
    ]),
  newsday: index =>
    one('newsday', index, [], host => [
      regulars(host, 50, 900),
      {
        count: 200,
        payer: wallets(host, `number % 50`),
        at: `${25 * day} + 100 + ${noise(text(`${host}b`), 3000)}`,
      },
    ]),
  workshop: index =>
    one('workshop', index, [], host => [
      regulars(`${host}x`, 12, 120),
      { count: 32, payer: wallets(host, 'number % 8'), at: `${18 * day} + ${noise(text(host), 1500)}` },
    ]),
}

/** Plants every kind `each` times. */
export const planted = (each: number): Plant[] =>
  Object.values({ ...plants, ...honest }).flatMap(make =>
    Array.from({ length: each }, (_, index) => make(index)),
  )

/** Wallets that pay every seller once. They are nobody's customers. */
export const sweepers = (all: readonly Plant[]): Paid[] =>
  all.flatMap(({ flows: [flow] }, index) =>
    flow
      ? [
          {
            flow: `sweep ${index}`,
            count: 3,
            payer: addressOf("concat('indexer', toString(number))"),
            payTo: flow.payTo,
            network: flow.network ?? 'base',
            at: `${14 * day} + ${index * 40} + number * 3`,
          },
        ]
      : [],
  )

/** The catalog that lists them, the chains that were read, and every payment. */
export async function putPlants(store: Store, plants: readonly Plant[]): Promise<void> {
  const walletOf = new Map(
    await Promise.all(
      plants.map(async ({ listed: [seller], flows: [flow] }) => {
        const [{ wallet } = { wallet: '' }] = await store.query<{ wallet: string }>(
          `select ${flow?.payTo} as wallet`,
        )
        return [seller?.host ?? '', wallet] as const
      }),
    ),
  )
  await putCatalog(
    store,
    plants.flatMap(({ listed }) =>
      listed.map(row => listing({ ...row, wallet: walletOf.get(row.host) ?? '' })),
    ),
  )
  await putRanges(store)
  await putPayments(store, [
    ...plants.flatMap(({ flows }) => flows),
    ...sweepers(plants),
    // History begins in August, so a wallet that appears later is really new.
    {
      flow: 'old',
      count: 1,
      payer: "'somebody'",
      payTo: plants[0]?.flows[0]?.payTo ?? '',
      at: '-77 * 86400',
    },
  ])
}
