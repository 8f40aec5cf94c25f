/** What no finding repeats: secrets, out of files as well, and what opens an address. Words of others may repeat what was sent to them. */
import { isSecret, valueIn } from '../../pipelines/rails/environment/secrets.ts'
import { hostsOnly } from '../config/hosts-only.ts'

type Given = Readonly<Record<string, string | undefined>>

/** A shorter text stands in many words by chance. */
const shortest = 6
/** A shorter piece of a path is a name, such as that of a network. */
const shortestKey = 12
/** The path to a node often is its key. Other paths are names that a finding may need. */
const hasKeyInPath = (name: string): boolean => name.endsWith('_RPC_URL')

export function withoutSecrets(env: Given): (words: string) => string {
  const names = new Set(Object.keys(env).flatMap(name => [name, name.replace(/_FILE$/, '')]))
  const hidden = [...names].flatMap(name => hiddenIn(name, heldBy(env, name)))
  // A secret may be a part of another.
  const longestFirst = [...new Set(hidden)]
    .filter(({ length }) => length >= shortest)
    .toSorted((a, b) => b.length - a.length)
  return words => longestFirst.reduce((text, secret) => text.replaceAll(secret, '…'), hostsOnly(words))
}

/** A file that cannot be read is told by whoever needs it. */
function heldBy(env: Given, name: string): string {
  try {
    return valueIn(env, name) ?? ''
  } catch {
    return env[name] ?? ''
  }
}

function hiddenIn(name: string, value: string): string[] {
  const parts = value.split(',').map(part => part.trim())
  const opening = parts.flatMap(part =>
    URL.canParse(part) ? openingOf(new URL(part), hasKeyInPath(name)) : [],
  )
  // Headers have names before their values, and a value may have a scheme before its key.
  return isSecret(name)
    ? [value.trim(), ...parts, ...parts.flatMap(part => part.split(/[\s=:]+/)), ...opening]
    : opening
}

function openingOf(url: URL, isKeyInPath: boolean): string[] {
  const texts = [
    url.username,
    url.password,
    ...(isKeyInPath ? url.pathname.split('/').filter(isLikeKey) : []),
  ]
  return [...texts, ...texts.map(decoded), ...url.searchParams.values()]
}

const isLikeKey = ({ length }: string): boolean => length >= shortestKey

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
