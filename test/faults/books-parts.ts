/** What the books' own check over what a test has left takes: the chains read, a store filled from the log, the command. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { type OwnWallet, ownWallet } from '../../pipelines/domains/books/facts.ts'
import { EvmReader } from '../../pipelines/domains/payments/evm/reader.ts'
import { openSvmReader } from '../../pipelines/domains/payments/svm/reader.ts'
import { entryOf, type Log } from '../../pipelines/rails/log/log.ts'
import { together } from '../../pipelines/rails/running.ts'
import { startEngine } from '../../pipelines/rails/store/embedded.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { evmPayments } from '../../pipelines/sources/payments/evm.ts'
import { svmPayments } from '../../pipelines/sources/payments/svm.ts'
import type { Source } from '../../pipelines/sources/source.ts'
import { startSink } from '../../pipelines/workers/sink.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { datasets } from '../../schemas/index.ts'
import { outside, sellersNamed } from '../pipelines/sources/payments/play-sales.ts'

type Name = 'base' | 'solana'

/** All that our datasets hold but what is in no table. */
export const kept: readonly Dataset[] = datasets.filter(
  ({ audience }) => audience !== 'log',
) as unknown as readonly Dataset[]
const own = '1970-01-01T00:00:00.001Z'

/** Reads a chain as the service does, for these wallets, from where it stopped. */
export function chainReading(name: Name, rpcUrl: string, wallets: readonly OwnWallet[]) {
  const node = { network: name, rpcUrls: [rpcUrl], perSecond: 1000 }
  const sellers = sellersNamed({
    until: own,
    wallets: new Map(
      wallets.filter(({ network }) => network === name).map(({ payTo }) => [payTo, own] as const),
    ),
  })
  const source = (
    name === 'base'
      ? evmPayments(new EvmReader({ ...node, network: name }), sellers)
      : svmPayments(openSvmReader({ ...node, network: name }), sellers)
  ) as Source<unknown>
  let cursor: unknown
  return async (log: Pick<Log, 'append'>, now: () => number): Promise<void> => {
    for await (const page of source.pull(cursor, outside(now), {})) {
      for (const { dataset, event } of page.events)
        await log.append(dataset.topic, [entryOf(dataset, event as never)])
      cursor = JSON.parse(JSON.stringify(page.cursor))
    }
  }
}

/** An empty store beside the log. Its sinks are started apart. */
export async function openBooksStore(folder: string) {
  const engine = await startEngine({
    ...{ folder: `${folder}/clickhouse`, httpPort: 0, tcpPort: 0, usersFile: 'deploy/clickhouse/users.xml' },
    ...{ analystPassword: '', onProblem: () => {} },
  })
  const url = `${engine.address.http.replace('//', `//farebox:${engine.password}@`)}/farebox`
  const store = await openStore(url)
  return {
    ...{ url, store },
    async close() {
      await store.close()
      await engine.close()
    },
  }
}

type BooksStore = Awaited<ReturnType<typeof openBooksStore>>['store']

export const startSinks = async (log: Log, store: BooksStore, of = kept) =>
  together(
    await Promise.all(
      of.map(dataset =>
        startSink({
          ...{ log, store, dataset, now: Date.now },
          onProblem: error => void console.error(error),
        }),
      ),
    ),
  )

/** `npm run books -- check` with a clock that is so far ahead. */
export async function booksCommand(
  { store, log }: { store: string; log: string },
  aheadMs = 0,
  args: readonly string[] = ['--grace', '0', '--topic', '--json'],
): Promise<{ code: number; said: string }> {
  const clock = `data:text/javascript,const now = Date.now; Date.now = () => now() + ${aheadMs}`
  const child = spawn(
    process.execPath,
    [...(aheadMs ? ['--import', clock] : []), 'services/commands/books.ts', 'check', ...args],
    { env: { ...process.env, STORE_URL: store, LOG_URL: log }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { code, said }
}

export const walletsOf = (paid: readonly { network: Name; payTo: string }[]): OwnWallet[] =>
  paid.map(({ network, payTo }) => ownWallet(network, payTo))
