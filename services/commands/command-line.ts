/** Shared parts of the operators' commands. A misused command says so and ends with 2. A failed one ends with 1. */
import type { LogAt } from '../../pipelines/rails/log/log-address.ts'
import type { Config } from '../config/config.ts'

export class Misused extends Error {}

/** Reads the arguments. For a wrong one it shows the usage. */
export function wishesOf<Wishes>(usage: string, read: () => Wishes): Wishes {
  try {
    return read()
  } catch (error) {
    throw error instanceof Misused ? error : new Misused(`${(error as Error).message}\n\n${usage}`)
  }
}

/** A configuration knows every origin, so it loads nearly everything. A misused command need not wait for it. */
export const loadConfig = async (): Promise<Config> => (await import('../config/config.ts')).readConfig()

/** The address of the log in the environment. */
export async function loadLog(): Promise<LogAt> {
  const { logVariables } = await import('../../pipelines/rails/log/variables.ts')
  return (await loadConfig()).read(logVariables)
}

export function runCommand(command: (args: string[]) => Promise<void>): void {
  command(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exit(error instanceof Misused ? 2 : 1)
  })
}
