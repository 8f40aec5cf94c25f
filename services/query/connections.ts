/**
 * Bounds what connections make this process hold: bodies on their way in, and answers that nobody reads. What the kernel holds for
 * a connection has the kernel's own bounds.
 */
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http'
import { Server as Listener } from 'node:net'
import { InHand } from '../../pipelines/rails/in-hand.ts'
import { Failure } from '../offer/errors.ts'
import { callerOf } from './callers.ts'

/** The bytes of all callers, and those of one. */
const heldBytes = 268_435_456
const heldBytesOfCaller = 33_554_432
/** Smaller bodies and answers are not counted. */
const smallBytes = 16_384
/** Beyond this number, a new connection is closed at once. */
export const mostConnections = 16_384
/** A connection that takes no byte of a large answer for so long is closed. */
const usualUnreadMs = 20_000
/** A stop waits so long for who is still reading a large answer. What is cut off then stays owed. */
const usualPartingMs = 10_000

interface Request {
  readonly ip: string
  readonly headers: IncomingHttpHeaders
  readonly routeOptions: { bodyLimit?: number | undefined }
}

interface Reply {
  readonly raw: ServerResponse
}

const crowded = () =>
  new Failure('busy', 'You have too much on its way, or leave too much of it unread', { 'retry-after': '5' })

/** The patience with a caller who reads nothing of a large answer, and with all who read when the process stops. Only tests change it. */
export interface ReaderPatience {
  unreadMs?: number
  partingMs?: number
}

export function boundConnections(
  server: Server,
  { unreadMs = usualUnreadMs, partingMs = usualPartingMs }: ReaderPatience,
) {
  const reading = new Set<ServerResponse>()
  const parted = Promise.withResolvers<void>()
  let isParting = false
  const inHand = new InHand({ mostBytes: heldBytes, mostBytesOfCaller: heldBytesOfCaller })

  function hold(bytes: number, request: Request, { raw }: Reply): boolean {
    const share = inHand.shareOf(callerOf(request))
    raw.once('close', share.end)
    return share.take(bytes)
  }

  /** To Node an answer is over when its last byte was written, and then it closes the connection, whoever still reads. */
  function read(raw: ServerResponse): void {
    reading.add(raw)
    raw.once('close', () => {
      reading.delete(raw)
      if (isParting && reading.size === 0) parted.resolve()
    })
    if (isParting) setTimeout(() => raw.destroy(), partingMs).unref()
  }

  // No hooks of their own: each hook costs an unpaid call a few per cent.
  return {
    /** So little is held that nobody is refused for what he holds. */
    isCalm: (): boolean => inHand.bytes <= heldBytesOfCaller,

    /** The refusal of a request whose caller holds too much already. */
    crowded: (request: Request): Failure | null =>
      inHand.bytes > heldBytesOfCaller && inHand.isFull(callerOf(request)) ? crowded() : null,

    /** The refusal of a body that there is no room for. */
    body(request: Request, reply: Reply): Failure | null {
      const bytes = announced(request)
      return bytes <= smallBytes || hold(bytes, request, reply) ? null : crowded()
    },

    answer(length: number, request: Request, reply: Reply): void {
      if (length <= smallBytes) return
      hold(length, request, reply)
      read(reply.raw)
      // Node counts a byte that the kernel takes as progress.
      reply.raw.setTimeout(unreadMs, () => reply.raw.socket?.resetAndDestroy())
    },

    /** Takes no more connections, and resolves when every large answer on its way is read, or has been waited for. */
    async part(): Promise<void> {
      isParting = true
      // The server's own close would cut off who reads.
      if (server.listening) Listener.prototype.close.call(server)
      if (reading.size === 0) return
      const late = setTimeout(parted.resolve, partingMs)
      await parted.promise
      clearTimeout(late)
    },
  }
}

/** A body without a length may be as long as the route allows. */
function announced({ headers, routeOptions }: Request): number {
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  return headers['transfer-encoding'] === undefined ? 0 : (routeOptions.bodyLimit ?? 0)
}
