/** `npm run canary`: buys from a seller as his customers do, in a process of its own. It takes its configuration from the environment. */
import { readConfig } from '../config/config.ts'
import { environmentOfProcess } from '../config/process-environment.ts'
import { closeOnSignals } from '../roles/lifecycle.ts'
import { startService } from '../roles/service.ts'
import { runCommand, wantsNothing } from './command-line.ts'

const usage = `npm run canary

  Buys from a running service as its customers do, and checks what it gets. CANARY_URL says where it buys, CANARY_KEY_<NETWORK> what it
  pays with: deploy/README.md has all variables.`

/** Beside a seller on one machine. */
const usualPort = '8406'

async function main(args: string[]): Promise<void> {
  wantsNothing(args, usage)
  const env = environmentOfProcess()
  const service = await startService(readConfig({ ...env, ROLES: 'canary', PORT: env.PORT || usualPort }))
  closeOnSignals(service)
  await service.ended
}

runCommand(usage, main)
