/** Starts the production service. The environment is its whole configuration. */
import { readConfig } from './config/config.ts'
import { hostsOnly } from './config/hosts-only.ts'
import { closeOnSignals } from './roles/lifecycle.ts'
import { startService } from './roles/service.ts'

export { startService } from './roles/service.ts'

const leavingMs = 3_000

async function main(): Promise<void> {
  const service = await startService(readConfig(), { bulk: true, leavingMs })
  closeOnSignals(service)
  await service.ended
}

if (import.meta.main)
  main().catch(error => {
    console.error(hostsOnly(String(error instanceof Error ? error.message : error)))
    process.exit(1)
  })
