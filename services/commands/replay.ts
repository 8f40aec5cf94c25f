/** `npm run replay -- <dataset>`: builds a table anew from its topic, and prints its progress. */
import { parseArgs } from 'node:util'
import { readAlong } from '../../pipelines/rails/log/open-log.ts'
import { attachStore } from '../../pipelines/rails/store/open-store.ts'
import { FewerFacts, replay } from '../../pipelines/workers/replay.ts'
import { datasets } from '../../schemas/index.ts'
import { loadConfig, loadLog, Misused, runCommand, wishesOf } from './command-line.ts'

const usage = `npm run replay -- <dataset> [--fewer]

  Builds the table of the dataset anew from its topic beside the standing one, and exchanges the two. The service may run
  meanwhile. Rows that the log no longer has are copied from the standing table, unless the topic keeps every record for ever.
  --fewer accepts a new table with fewer facts. LOG_URL and STORE_URL (or DATA_DIR) name log and store, as for npm run serve.`

const wishes = (args: string[]) =>
  wishesOf(usage, () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { fewer: { type: 'boolean', default: false } },
    })
    const [name, ...more] = positionals
    if (!name || more.length) throw new Misused(usage)
    const stored = datasets.filter(({ audience }) => audience !== 'log')
    const dataset = stored.find(known => known.name === name)
    if (!dataset)
      throw new Misused(`there is no table ${name}; there are ${stored.map(known => known.name).join(', ')}`)
    return { dataset, fewer: values.fewer }
  })

const everyMs = 1_000

async function run(args: string[]): Promise<void> {
  const { dataset, fewer } = wishes(args)
  const { STORE_URL, STORE_CLUSTER } = await loadConfig()
  const log = await loadLog()
  const store = await attachStore(STORE_URL, { cluster: STORE_CLUSTER })
  const count = new Intl.NumberFormat('en').format
  let toldAt = 0
  try {
    const { records, refused, facts } = await replay(dataset, {
      store,
      fewer,
      read: (handle, from) => readAlong(log, dataset.topic, handle, { from }),
      onRetry: ({ message }) => console.log(`the store is away, and is asked again: ${message}`),
      onProgress: ({ records, of }) => {
        if (performance.now() - toldAt < everyMs && records < of) return
        toldAt = performance.now()
        console.log(`${count(records)} of ${count(of)} records`)
      },
    })
    console.log(
      `${dataset.name}: ${count(facts)} facts from ${count(records)} records, ${count(refused)} refused; the new table is in use`,
    )
  } catch (error) {
    throw error instanceof FewerFacts ? new Error(`${error.message} (--fewer accepts the loss)`) : error
  } finally {
    await store.close()
  }
}

if (import.meta.main) runCommand(usage, run)
