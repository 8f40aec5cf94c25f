/**
 * `npm start`: starts everything at once, with play money and without configuration. `--sell FILE` sells a file, too. `--no-canary`:
 * nobody buys but you.
 */

import { parseArgs } from 'node:util'
import { runCommand, wishesOf } from '../commands/command-line.ts'
import { environmentOfProcess } from '../config/process-environment.ts'
import { closeOnSignals } from '../roles/lifecycle.ts'
import { banner } from './banner.ts'
import { startPlayCanary } from './canary.ts'
import { firstFacts } from './first-facts.ts'
import { startSandbox } from './sandbox.ts'

const usage = `npm start [-- --sell FILE --no-canary]

  Starts everything on this machine, with play money: chains, facilitators, upstreams, the service. Ctrl-C stops it. PORT, STORE_PORT,
  DATA_DIR and NETWORKS choose its places and its chains; --sell sells what a file names, too (npm run sell -- check FILE).
  --no-canary: nobody buys but you.`

async function main(args: string[]): Promise<void> {
  const { values } = wishesOf(usage, () =>
    parseArgs({
      args,
      options: { sell: { type: 'string', multiple: true }, 'no-canary': { type: 'boolean' } },
    }),
  )
  const env = environmentOfProcess()
  const files = [env.SELL, ...(values.sell ?? [])].filter(Boolean)
  const sandbox = await startSandbox({ ...env, SELL: files.join(',') })
  closeOnSignals(sandbox)
  await Promise.race([
    firstFacts(
      sandbox.service.url,
      sandbox.chains.map(({ network }) => network),
    ),
    sandbox.ended,
  ])
  const canary = values['no-canary'] ? undefined : startPlayCanary(sandbox, env)
  console.log(banner(sandbox, canary !== undefined))
  // Sales go on without it.
  canary?.ended.catch(error => console.error(`the canary has ended: ${(error as Error).message}`))
  await sandbox.ended.finally(() => Promise.all([canary?.close(), sandbox.close()]))
}

runCommand(usage, main)
