/** The production service, from the environment alone. */
import { readConfig } from './config.ts'
import { stopOnSignals } from './lifecycle.ts'
import { startService } from './service.ts'

export { startService } from './service.ts'

async function main(): Promise<void> {
  const service = await startService(readConfig(), { bulk: true })
  stopOnSignals(() => service.stop())
  await service.broken
}

if (import.meta.main)
  main().catch(error => {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  })
