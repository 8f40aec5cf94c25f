/** Which variables hold secrets, and how a secret comes from a file: `NAME_FILE` names the file that holds the value of NAME. */
import { contentOf } from './kinds.ts'
import { ConfigError } from './variables.ts'

/** The name of a key file and the addresses of keys are no secrets. */
const secret = /TOKEN|SECRET|PASSWORD|HEADERS|_KEY(?!S|_FILE)/
export const isSecret = (name: string): boolean => secret.test(name)

/** An address may hold a password or the key of a node. */
const address = /^(?:LOG|STORE|BLOBS|PAGES)_URL$|_RPC_URL$/
/** It names a file already. */
const named = new Set(['LOG_KEY'])
const comesFromFile = (name: string): boolean => (isSecret(name) || address.test(name)) && !named.has(name)

type Given = Readonly<Record<string, string | undefined>>

/** The value of a variable, or what the file holds that its `_FILE` names. */
export function valueIn(set: Given, name: string): string | undefined {
  const file = Object.hasOwn(set, `${name}_FILE`) ? set[`${name}_FILE`] : undefined
  const value = Object.hasOwn(set, name) ? set[name] : undefined
  if (file === undefined || !comesFromFile(name)) return value
  if (value !== undefined) throw new ConfigError(`${name} and ${name}_FILE are set; it should be one of them`)
  const content = contentOf(`${name}_FILE`, file).trim()
  if (content === '') throw new ConfigError(`${name}_FILE is ${file}; the file should hold ${name}`)
  return content
}

/** The environment with the secrets of these variables out of their files. A variable that is declared by this name is no file of ours. */
export function withSecretFiles(set: Given, names: readonly string[]): Given {
  const declared = new Set(names)
  const found = names
    .filter(name => !declared.has(`${name}_FILE`))
    .map(name => [name, valueIn(set, name)] as const)
  return { ...set, ...Object.fromEntries(found.filter(([, value]) => value !== undefined)) }
}
