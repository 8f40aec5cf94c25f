/** `npm run market -- rebuild`: builds the market of the latest snapshot now, and prints its progress. */

import { buildMarket } from '../../pipelines/domains/market/build.ts'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { logVariables } from '../../pipelines/rails/log/variables.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { datasets } from '../../schemas/index.ts'
import { topicsOf } from '../roles/rights.ts'
import { loadConfig, Misused, runCommand } from './command-line.ts'

const usage = `npm run market -- rebuild [--force]

  Rebuilds the market from the rows in the store and puts it on sale. A build that looks wrong is held back, unless
  --force is set. With an embedded store, stop the service first: only one process can own the store.`

async function rebuild(force: boolean): Promise<number> {
  const config = await loadConfig()
  const store = await openStore(config.STORE_URL, {
    cluster: config.STORE_CLUSTER,
    httpPort: 0,
    tcpPort: 0,
  })
  try {
    await store.apply(datasets)
    const log = await openLog(config.read(logVariables), {
      // It has the login of ingest, which builds the market of each week.
      topics: topicsOf(['ingest']),
    })
    try {
      const { week, outcome, reasons, sellers, endpoints } = await buildMarket({
        store,
        log,
        now: Date.now,
        force,
        onStage: (stage, tookMs) =>
          console.log(`${stage.padEnd(20)} ${(tookMs / 1000).toFixed(2).padStart(8)} s`),
      })
      console.log(`${week}: ${outcome.replace('_', ' ')}, ${sellers} sellers, ${endpoints} endpoints`)
      for (const reason of reasons) console.log(`looks wrong: ${reason}`)
      return outcome === 'held_back' ? 1 : 0
    } finally {
      await log.close()
    }
  } finally {
    await store.close()
  }
}

if (import.meta.main)
  runCommand(usage, async ([command, ...flags]) => {
    if (command !== 'rebuild' || flags.some(flag => flag !== '--force')) throw new Misused(usage)
    return rebuild(flags.includes('--force'))
  })
