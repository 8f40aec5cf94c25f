/** Reads the address of a resource: its seller, its product in one form, and whether the public can reach it. */

import { rangeWithoutPlace } from '../tables/ip-ranges.ts'
import { isSpecialName } from '../tables/special-names.ts'
import { parseIpAddress } from './ip-address.ts'

interface ResourceAddress {
  host: string
  /** The host without `www.`. Nothing else is removed: thousands of sellers share `vercel.app`. */
  seller: string
  /** Host, port and path. Scheme, query and a slash at the end make no difference. */
  path: string
  placeholder: boolean
  unreachable: 'private_host' | 'reserved_host' | 'tunnel' | 'preview_host' | undefined
}

const longest = 2048
/** The limit of a DNS name. */
const longestHost = 253

export function readAddress(text: string, template?: string): ResourceAddress | undefined {
  const trimmed = text.trim()
  const url = trimmed.length <= longest && URL.canParse(trimmed) ? new URL(trimmed) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined
  const host = url.hostname.replace(/\.$/, '')
  if (host.length > longestHost) return undefined
  const port = url.port === '80' || url.port === '443' ? '' : url.port
  return {
    host,
    seller: host.replace(/^www\./, ''),
    path: `${host}${port && `:${port}`}${plainPath(template ?? url.pathname)}`,
    placeholder: hasPlaceholder(url.pathname),
    unreachable: unreachable(host),
  }
}

/** The seller for a host name or a URL that somebody typed. */
export const sellerOf = (typed: string): string | undefined =>
  readAddress(/^[a-z]+:\/\//i.test(typed.trim()) ? typed : `https://${typed.trim()}`)?.seller

/** Whether the text is a template of a path. Catalogs also hold mistakes in this field. */
export const isRouteTemplate = (text: string): boolean =>
  /^\/[a-zA-Z0-9_/:.\-~%]+$/.test(text) && !/\.\.|:\/\//.test(decodeUnreserved(text))

/** A catalog writes `:var1` for a parameter whose name it has lost. */
function plainPath(path: string): string {
  const one = decodeUnreserved(path).replace(/\/{2,}/g, '/')
  return one.replace(/(?<=\/):var\d*(?=\/|$)/g, ':var').replace(/\/$/, '')
}

const decodeUnreserved = (text: string): string =>
  text.replace(/%[0-9a-fA-F]{2}/g, code => {
    const letter = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /[A-Za-z0-9\-._~]/.test(letter) ? letter : code.toUpperCase()
  })

const hasPlaceholder = (path: string): boolean =>
  /\/(:[A-Za-z_]\w*|\{[^/]+\})(?=\/|$)/.test(path.replace(/%(3a|7b|7d)/gi, code => decodeURIComponent(code)))

/** Their pages exist, but only in documentation. */
const documentation = /(^|\.)example\.(com|net|org)$/
const tunnels = /(^|\.)(ngrok(-free)?\.(io|app|dev)|trycloudflare\.com|loca\.lt|localhost\.run|serveo\.net)$/
/**
 * Vercel names previews `project-hash-team` or `project-git-branch-team`. The hash must have a digit: without one it
 * could be a word.
 */
const previews = /-(git-[a-z0-9-]+|(?=[a-z]*\d)[a-z0-9]{9})-[a-z0-9-]+\.vercel\.app$/

function unreachable(host: string): ResourceAddress['unreachable'] {
  const ip = parseIpAddress(host.replace(/^\[|\]$/g, ''))
  if (ip) return rangeWithoutPlace(ip) && 'private_host'
  if (isSpecialName(host) || documentation.test(host)) return 'reserved_host'
  if (!host.includes('.')) return 'private_host'
  if (tunnels.test(host)) return 'tunnel'
  return previews.test(host) ? 'preview_host' : undefined
}
