/** `npm start`: starts everything at once, with play money and without configuration. `--sell FILE` sells a file, too. */

import { parseArgs } from 'node:util'
import { runCommand, wishesOf } from '../commands/command-line.ts'
import { environmentOfProcess } from '../config/process-environment.ts'
import { closeOnSignals } from '../roles/lifecycle.ts'
import { banner } from './banner.ts'
import { startPlayCanary } from './canary.ts'
import { firstFacts } from './first-facts.ts'
import { startSandbox } from './sandbox.ts'

const usage = `npm start [-- --sell FILE]

  Starts everything on this machine, with play money: chains, facilitators, upstreams, the service. Ctrl-C stops it. PORT, STORE_PORT,
  DATA_DIR and NETWORKS choose its places and its chains; --sell sells what a file names, too (npm run sell -- check FILE).`

async function main(args: string[]): Promise<void> {
  const { values } = wishesOf(usage, () =>
    parseArgs({ args, options: { sell: { type: 'string', multiple: true } } }),
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
  const canary = startPlayCanary(sandbox, env)
  console.log(banner(sandbox))
  // Sales go on without it.
  canary.ended.catch(error => console.error(`the canary has ended: ${(error as Error).message}`))
  await sandbox.ended.finally(() => Promise.all([canary.close(), sandbox.close()]))
}

runCommand(usage, main)
