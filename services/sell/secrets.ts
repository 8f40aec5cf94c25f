/** The secrets of a file: variables of the environment that its requests carry. No answer repeats one. */
import { valueIn } from '../../pipelines/rails/environment/secrets.ts'
import type { Named, Tell } from './request.ts'
import { unpacked } from './unpacked.ts'

export interface SellEnvironment {
  set: Readonly<Record<string, string | undefined>>
  /** Whether this process asks the upstreams. One that settles needs prices and payees alone: it gets no secret, and opens no module. */
  asks: boolean
  /** Whether the service itself has a variable of this name. */
  isOurs(variable: string): boolean
  /** Where a file beside this one is. Throws an Error if there is none. */
  placeOf(name: string): string
}

/** A shorter value, such as a region, is no secret: it stands in many texts by chance. */
const leastLength = 8

/** What a machine of ours may be given for the tools on it. The service and its libraries read some of them without a word. */
const ofMachine = new Set(
  'AWS AZURE ARM GOOGLE GCP GCLOUD CLOUDSDK ALIBABA DOCKER KUBERNETES KUBE KUBECONFIG VAULT GITHUB GH GITLAB CI NPM NODE SSH SSL GIT PG MYSQL REDIS KAFKA CLICKHOUSE OTEL'.split(
    ' ',
  ),
)

const visible = /^[\x21-\x7e]+$/

/**
 * The values of the variables. Each begins with the name of the origin, so that the file of a partner cannot have a key of
 * somebody else sent to its own host.
 */
export function secretsOf(
  origin: string,
  variables: readonly Named[],
  { set, isOurs, asks }: Pick<SellEnvironment, 'set' | 'isOurs' | 'asks'>,
  tell: Tell,
): ReadonlyMap<string, string> {
  const word = origin.toUpperCase()
  const start = `${word}_`
  const secrets = new Map<string, string>()
  for (const { name: variable, path } of variables) {
    if (!variable.startsWith(start) || isOurs(variable)) {
      tell(
        path,
        `\${${variable}} is not for this file: its variables begin with ${start}, and are none of the service itself`,
      )
      continue
    }
    if (ofMachine.has(word)) {
      tell(path, `\${${variable}} may be a key of this machine: choose another name for the origin`)
      continue
    }
    if (!asks) continue
    const value = valueIn(set, variable)
    if (value === undefined) tell(path, `\${${variable}} is unset`)
    else if (!visible.test(value))
      tell(path, `\${${variable}} should be of visible ASCII characters, without spaces`)
    else secrets.set(variable, value)
  }
  return secrets
}

/** Whether a text has one of the secrets in it, as it is or in a form that a request carries. */
export function repeats(text: string, secrets: ReadonlyMap<string, string>): boolean {
  const kept = [...secrets.values()].filter(secret => secret.length >= leastLength)
  if (kept.length === 0) return false
  const read = unpacked(text)
  return kept.some(
    secret => text.includes(secret) || formsOf(secret).some(form => read.includes(unpacked(form))),
  )
}

/** The shortest text that is looked for: a shorter one stands anywhere by chance. */
const formsOf = (secret: string): string[] =>
  [
    ...[secret, Buffer.from(secret).toString('hex')],
    ...[0, 1, 2].map(before => inBase64(secret, before)),
  ].filter(form => form.length >= leastLength)

const bitsOf = { byte: 8, letter: 6 }

/** What base64 makes of it behind so many other bytes, without the letters that its neighbours have a part in. */
function inBase64(secret: string, before: number): string {
  const letters = (bytes: number) => (bytes * bitsOf.byte) / bitsOf.letter
  return Buffer.from('\0'.repeat(before) + secret)
    .toString('base64')
    .slice(Math.ceil(letters(before)), Math.floor(letters(before + secret.length)))
}
