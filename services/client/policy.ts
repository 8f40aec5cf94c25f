/** A spending policy: caps for each call and each day, for hosts, operations and payees. It is a file that people can read. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { jsonIn, NamedTwice } from './named-once.ts'
import { atomsOf } from './quote.ts'

export interface Limits {
  /** US dollars, as text or number. */
  max_usd_per_call?: string | number
  /** US dollars a UTC day. */
  max_usd_per_day?: string | number
}

/** Where a section is there, it names all who may be paid. `*` stands for each one that is not named. */
export interface Policy extends Limits {
  /** `farebox.example`, with its port if it has one of its own. */
  hosts?: Record<string, Limits>
  /** `/fx` */
  operations?: Record<string, Limits>
  /** The address that is paid. */
  payees?: Record<string, Limits>
}

/** What a payment is for. */
export interface Purpose {
  host: string
  path: string
  payTo: string
}

/** A cap that a payment must keep. */
export interface Rule {
  /** What is capped, in words. */
  of: string
  perCall?: bigint
  perDay?: bigint
  /** Names the count of a day. */
  scope: string
}

const sections = {
  hosts: { of: 'host', is: ({ host }: Purpose) => host },
  operations: { of: 'operation', is: ({ path }: Purpose) => operationAt(path) },
  payees: { of: 'payee', is: ({ payTo }: Purpose) => payTo },
} as const
type Section = keyof typeof sections
const sectionNames = Object.keys(sections) as Section[]
const limitNames = ['max_usd_per_call', 'max_usd_per_day'] as const

export class WrongPolicy extends Error {}

/** However its path is written, and whatever fields of its answer are asked for, the seller knows one operation. */
function operationAt(path: string): string {
  const { pathname } = new URL(`http://any${path.startsWith('/') ? '' : '/'}${path}`)
  try {
    return decodeURIComponent(pathname)
  } catch {
    // Such a path names no operation.
    return pathname
  }
}

/** An EVM address has one meaning in capitals and in small letters; so has a host. An address of Solana has not. */
const plain = (name: string): string => (/^0x|\./i.test(name) ? name.toLowerCase() : name)

/** The caps of the sections for a payment, or the reason why it may not be made at all. */
export function rulesFor(policy: Policy, purpose: Purpose): Rule[] | string {
  const rules: Rule[] = []
  for (const section of sectionNames) {
    const named = policy[section]
    if (named === undefined) continue
    const { of, is } = sections[section]
    const name = plain(is(purpose))
    const limits = new Map(Object.entries(named).map(([each, own]) => [plain(each), own]))
    const own = limits.get(name) ?? limits.get('*')
    if (own === undefined) return `the policy names no ${of} ${name}`
    const scope = createHash('sha256').update(`${of} ${name}`).digest('hex').slice(0, 16)
    const { max_usd_per_call: call, max_usd_per_day: day } = own
    rules.push({
      of: `the ${of} ${name}`,
      scope,
      ...(call !== undefined && { perCall: atomsOf(call) }),
      ...(day !== undefined && { perDay: atomsOf(day) }),
    })
  }
  return rules
}

/** Throws WrongPolicy, which names the field, where a policy says what nobody understands: a cap that is misspelt is no cap. */
export function checkedPolicy(given: unknown): Policy {
  const policy = fieldsOf(given, 'the policy', [...limitNames, ...sectionNames])
  checkLimits(policy, '')
  for (const section of sectionNames) {
    if (policy[section] === undefined) continue
    const names = new Set<string>()
    for (const [name, limits] of Object.entries(fieldsOf(policy[section], section))) {
      if (names.has(plain(name))) throw new WrongPolicy(`${section} ${name}: it is named twice`)
      names.add(plain(name))
      checkLimits(fieldsOf(limits, `${section} ${name}`, limitNames), `${section} ${name}: `)
    }
  }
  // A caller who changes his own object later changes no cap.
  return structuredClone(policy) as Policy
}

export function policyIn(file: string): Policy {
  try {
    return checkedPolicy(jsonIn(readFileSync(file, 'utf8')))
  } catch (error) {
    if (error instanceof WrongPolicy) throw error
    if (error instanceof NamedTwice) throw new WrongPolicy(`the policy, ${error.message}`)
    const { code } = error as NodeJS.ErrnoException
    throw new WrongPolicy(code === undefined ? 'the policy is no JSON' : `the policy cannot be read: ${code}`)
  }
}

function fieldsOf(value: unknown, what: string, known?: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new WrongPolicy(`${what} should be an object`)
  const odd = Object.keys(value).find(name => known && !known.includes(name))
  if (odd !== undefined)
    throw new WrongPolicy(`${what}: there is no field "${odd}"; there are ${known?.join(', ')}`)
  return value as Record<string, unknown>
}

function checkLimits(limits: Record<string, unknown>, where: string): void {
  for (const name of limitNames) {
    if (limits[name] === undefined) continue
    try {
      atomsOf(limits[name] as string)
    } catch (error) {
      throw new WrongPolicy(`${where}${name}: ${(error as Error).message}`)
    }
  }
}
