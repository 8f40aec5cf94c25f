/** Decides whether a URL is public, by its text and by every address that its name resolves to. */

import { rangeNotPublic } from '../../../../schemas/tables/ip-ranges.ts'
import { isSpecialName } from '../../../../schemas/tables/special-names.ts'
import { type IpAddress, parseIpAddress } from '../../../../schemas/values/ip-address.ts'
import type { Resolve } from './resolver.ts'
import { NotPublic, VisitFailed } from './visit-failures.ts'

export interface AddressRules {
  schemes: readonly string[]
  ports: readonly number[]
}

export const usualRules: AddressRules = { schemes: ['https', 'http'], ports: [443, 80] }

const longestUrl = 2048
const name = /^(?!.{254})([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/

/**
 * Reads a URL as browsers do, so that every spelling of an address becomes the one that is checked: decimal, octal and
 * hexadecimal numbers, letters of other scripts, percent signs, backslashes. Throws NotPublic.
 */
export function readPublicUrl(text: string, { schemes, ports } = usualRules): URL {
  if (text.length > longestUrl) throw new NotPublic('malformed', `A URL has at most ${longestUrl} characters`)
  if (!URL.canParse(text))
    throw new NotPublic('malformed', `This is not a URL: it should begin with ${schemes.join(':// or ')}://`)
  const url = new URL(text)
  const scheme = url.protocol.slice(0, -1)
  if (!schemes.includes(scheme))
    throw new NotPublic('scheme', `The scheme is ${scheme}; it can only be ${schemes.join(' or ')}`)
  if (url.username || url.password)
    throw new NotPublic('user_info', 'The URL must not contain a user or a password')
  if (!ports.includes(portOf(url)))
    throw new NotPublic('port', `The port is ${portOf(url)}; it can only be ${ports.join(' or ')}`)
  url.hash = ''
  // A dot at the end makes a name absolute. It is the same name without the dot.
  url.hostname = url.hostname.replace(/\.$/, '')
  const literal = literalOf(url)
  if (literal) mustBePublic(literal, `${literal.text} is`)
  else if (!name.test(url.hostname) || isSpecialName(url.hostname))
    throw new NotPublic('name', `${url.hostname} is not a name in public DNS`)
  return url
}

/** The addresses that may be dialled for this URL. If one of them is not public, all are refused. */
export async function publicAddresses(url: URL, resolve: Resolve, signal: AbortSignal): Promise<IpAddress[]> {
  const literal = literalOf(url)
  if (literal) return [literal]
  const { hostname } = url
  const addresses = (await resolve(hostname, signal)).map(text => {
    const address = parseIpAddress(text)
    // The message does not name the address: it would tell a stranger about our own network.
    if (!address || rangeNotPublic(address))
      throw new NotPublic('address', `${hostname} resolves to an address that is not public`)
    return address
  })
  if (addresses.length === 0) throw new VisitFailed('dns', `${hostname} has no address`)
  // IPv4 comes first, because more machines can connect over it.
  return addresses.toSorted((a, b) => a.family - b.family)
}

export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80))

/** The host of a URL, without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

const literalOf = (url: URL): IpAddress | undefined => parseIpAddress(hostOf(url))

function mustBePublic(address: IpAddress, what: string): void {
  const range = rangeNotPublic(address)
  if (range) throw new NotPublic('address', `${what} in ${range.prefix} (${range.name}), which is not public`)
}
