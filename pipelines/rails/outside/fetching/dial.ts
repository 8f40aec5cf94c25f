/** Connects to the address that was checked, even if its name resolves to another one by now. */
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { IpAddress } from '../../../../schemas/values/ip-address.ts'
import { VisitFailed } from './visit-failures.ts'

/**
 * Maps a checked address to the real place of a server. Tests and the sandbox need it, because they have no public
 * servers.
 */
export type Reach = (address: string, port: number) => { host: string; port: number }

interface Target {
  host: string
  addresses: readonly IpAddress[]
  port: number
  secure: boolean
}

export interface DialOptions {
  reach?: Reach | undefined
  /** The trusted authorities, in PEM, in place of the public ones. */
  ca?: string | undefined
}

export interface Dialled {
  socket: Socket
  address: string
  /** The end of the certificate, in ms. Undefined over plain HTTP. */
  certificateEndsAt: number | undefined
}

const mostTried = 4
const connectMs = 4000

/** Tries one address after the other until one takes the connection. */
export async function dial(target: Target, signal: AbortSignal, options: DialOptions): Promise<Dialled> {
  const { host, addresses, port, secure } = target
  const { reach = (host, port) => ({ host, port }), ca } = options
  let failure: unknown
  for (const { text: address } of addresses.slice(0, mostTried)) {
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(connectMs)])
      const socket = await opened(connect(reach(address, port)), 'connect', within)
      const tls = secure ? await handshake(socket, host, ca, signal) : undefined
      const certificateEndsAt = tls && Date.parse(tls.getPeerCertificate().valid_to)
      return { socket: tls ?? socket, address, certificateEndsAt }
    } catch (error) {
      if (signal.aborted || error instanceof VisitFailed) throw error
      failure = error
    }
  }
  throw new VisitFailed('connection', `${host} accepts no connection: ${codeOf(failure)}`, { cause: failure })
}

async function handshake(
  socket: Socket,
  host: string,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const tls = connectTls({
    socket,
    host,
    // An address must not be sent as a server name. The certificate is still checked against `host`.
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
    // It is set here, so that no variable of the environment can turn it off.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  })
  try {
    return await opened(tls, 'secureConnect', signal)
  } catch (error) {
    if (signal.aborted) throw error
    throw new VisitFailed('tls', `${host} cannot be trusted: ${codeOf(error)}`, { cause: error })
  }
}

async function opened<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  const { promise, resolve, reject } = Promise.withResolvers<S>()
  const giveUp = () => reject(signal.reason)
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  // The listener stays, because a connection may break while nobody reads from it.
  socket.once(event, () => resolve(socket)).on('error', reject)
  try {
    return await promise
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

const codeOf = (error: unknown): string => {
  const { code, name } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : name
}
