/**
 * Shared parts of the commands. `--help` and `--version` need nothing that runs. A misused command says so and ends with 2. A failed one
 * ends with 1.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import type { LogAt } from '../../pipelines/rails/log/log-address.ts'
import type { Config } from '../config/config.ts'
import { hostsOnly } from '../config/hosts-only.ts'

export class Misused extends Error {}

/** For a command whose whole wish is in the environment. */
export function wantsNothing(args: readonly string[], usage: string): void {
  if (args.length) throw new Misused(usage)
}

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

/** What is answered before anything is read or asked. */
function answeredAtOnce(args: readonly string[], usage: string): boolean {
  const told = args.some(arg => arg === '--help' || arg === '-h')
    ? usage
    : args.includes('--version')
      ? manifest.version
      : undefined
  if (told !== undefined) console.log(told)
  return told !== undefined
}

/** A number that the command returns is its exit code. */
export function runCommand(usage: string, command: (args: string[]) => Promise<unknown>): void {
  const args = process.argv.slice(2)
  if (answeredAtOnce(args, usage)) return
  command(args).then(
    code => {
      if (typeof code === 'number') process.exitCode = code
    },
    (error: unknown) => {
      // A variable with an address may hold a key, too.
      const message = hostsOnly(error instanceof Error ? error.message : String(error))
      console.error(withoutSecrets(message, args))
      process.exit(error instanceof Misused ? 2 : 1)
    },
  )
}

/** What people give in the wrong place may be a key or a token, and messages repeat what was given. */
export function withoutSecrets(message: string, args: readonly string[]): string {
  const given = args.flatMap(arg => [arg, arg.replace(/^-+/, ''), ...arg.split('=').slice(1)])
  return given.filter(mayBeSecret).reduce((text, word) => text.replaceAll(word, 'what is given'), message)
}

const shortest = 16
const path = /^[\w.~/-]+$/
const manyAlike = /[A-Za-z0-9]{16}/
const statement = /^\s*(?:select|with|show|describe|explain|exists|desc)\s/i

/** Names of files and views, and statements, are told. */
const mayBeSecret = (word: string): boolean =>
  word.length >= shortest && !statement.test(word) && (!path.test(word) || manyAlike.test(word))

/** The address of a seller, if the first argument is one. */
export function addressIn(args: readonly string[]): { address?: string; rest: readonly string[] } {
  const [address = '', ...rest] = args
  return /^https?:\/\//.test(address) ? { address, rest } : { rest: args }
}

/** The folder of a package, which is removed before it is built. Whoever names another folder by mistake keeps it. */
export function packageFolder(args: readonly string[], { usage, usual, mark }: PackageFolder): string {
  const [folder = usual, ...more] = args
  if (more.length || folder.startsWith('-')) throw new Misused(usage)
  const isOurs = !existsSync(folder) || readdirSync(folder).length === 0 || existsSync(join(folder, mark))
  if (!isOurs)
    throw new Misused(`the folder holds something else than an earlier build; name another\n\n${usage}`)
  return folder
}

interface PackageFolder {
  usage: string
  usual: string
  /** A file of every build. */
  mark: string
}
