/** Starts the production service. The environment is its whole configuration. */
import { readConfig } from './config.ts'
import { hostsOnly } from './hosts-only.ts'
import { closeOnSignals } from './lifecycle.ts'
import { startService } from './service.ts'

export { startService } from './service.ts'

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
