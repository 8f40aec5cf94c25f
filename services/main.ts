/** Starts the production service. The environment is its whole configuration. */
import { runCommand, wantsNothing } from './commands/command-line.ts'
import { readConfig } from './config/config.ts'
import { closeOnSignals } from './roles/lifecycle.ts'
import { startService } from './roles/service.ts'

export { startService } from './roles/service.ts'

const usage = `npm run serve

  Starts the service. The environment is its whole configuration: deploy/README.md has the variables, and \`npm start\` is a sandbox
  that needs none.`

const leavingMs = 3_000

async function main(args: string[]): Promise<void> {
  wantsNothing(args, usage)
  const service = await startService(readConfig(), { bulk: true, leavingMs })
  closeOnSignals(service)
  await service.ended
}

if (import.meta.main) runCommand(usage, main)
