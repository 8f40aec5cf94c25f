/** `npm run canary`: buys from a seller as his customers do, in a process of its own. It takes its configuration from the environment. */
import { readConfig } from '../config/config.ts'
import { hostsOnly } from '../config/hosts-only.ts'
import { environmentOfProcess } from '../config/process-environment.ts'
import { closeOnSignals } from '../roles/lifecycle.ts'
import { startService } from '../roles/service.ts'

/** Beside a seller on one machine. */
const usualPort = '8406'

async function main(): Promise<void> {
  const env = environmentOfProcess()
  const service = await startService(readConfig({ ...env, ROLES: 'canary', PORT: env.PORT || usualPort }))
  closeOnSignals(service)
  await service.ended
}

main().catch(error => {
  console.error(hostsOnly(String(error instanceof Error ? error.message : error)))
  process.exit(1)
})
