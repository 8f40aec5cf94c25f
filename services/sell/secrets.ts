/** The secrets of a file: variables of the environment that its requests carry. No answer repeats one. */
import type { Tell } from './request.ts'

export interface SellEnvironment {
  set: Readonly<Record<string, string | undefined>>
  /** Whether the service itself has a variable of this name. */
  isOurs(variable: string): boolean
}

/** A shorter value, such as a region, is no secret: it stands in many texts by chance. */
const leastLength = 8

const visible = /^[\x21-\x7e]+$/

/**
 * The values of the variables. Each begins with the name of the origin, so that the file of a partner cannot have a key of
 * somebody else sent to its own host.
 */
export function secretsOf(
  origin: string,
  variables: readonly string[],
  {
    set,
    isOurs,
  }: { set: Readonly<Record<string, string | undefined>>; isOurs: (variable: string) => boolean },
  tell: Tell,
): ReadonlyMap<string, string> {
  const start = `${origin.toUpperCase()}_`
  const secrets = new Map<string, string>()
  for (const variable of variables) {
    const value = Object.hasOwn(set, variable) ? set[variable] : undefined
    if (!variable.startsWith(start) || isOurs(variable))
      tell(
        [],
        `\${${variable}} is not for this file: its variables begin with ${start}, and are none of the service itself`,
      )
    else if (value === undefined) tell([], `\${${variable}} is unset`)
    else if (!visible.test(value))
      tell([], `\${${variable}} should be of visible ASCII characters, without spaces`)
    else secrets.set(variable, value)
  }
  return secrets
}

/** Whether a text has one of the secrets in it, as it is or in a form that a request carries. */
export const repeats = (text: string, secrets: ReadonlyMap<string, string>): boolean =>
  [...secrets.values()]
    .filter(secret => secret.length >= leastLength)
    .some(secret => formsOf(secret).some(form => text.includes(form)))

const formsOf = (secret: string): string[] => {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const forms = [
    secret,
    inJson,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replaceAll('=', ''),
  ]
  return [...new Set(forms)]
}
