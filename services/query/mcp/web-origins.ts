/**
 * Which web pages may ask. A browser sends Origin, and other clients do not. Nobody is logged in here, so a page of any site may ask a
 * public service. But no page of the world may ask a service on this machine, or reach one under a name of its own (DNS rebinding).
 */
const isLoopback = (host: string): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host)

interface Asked {
  origin: string | undefined
  /** The header Host. */
  host: string | undefined
  /** Our public hosts. */
  own: ReadonlySet<string>
}

export function mayAsk({ origin, host, own }: Asked): boolean {
  if (origin === undefined) return true
  const isLocal = [...own].every(isLoopback)
  const page = URL.parse(origin)
  // A page without an address of its own, such as a file.
  if (origin === 'null') return !isLocal
  if (!page || page.origin !== origin) return false
  if (own.has(page.hostname)) return true
  return isLocal ? isLoopback(page.hostname) : page.host !== host?.toLowerCase()
}
