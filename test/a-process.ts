/** A process as the part of a test has it: with what the test gives, and with variables of its own. */
import type { Process } from '../pipelines/rails/process.ts'
import { readConfig } from '../services/config/config.ts'

export function processOf(has: Partial<Process>, env: Record<string, string> = {}): Process {
  const { read, addressOf } = readConfig(env)
  const process = {
    ...{ read, addressOf, now: Date.now },
    onFailed: (name: string, error: unknown) => console.error(name, error),
    use: async <T>(part: { open(from: Process): Promise<T> | T }) => part.open(process),
    ...has,
  } as Process
  return process
}
