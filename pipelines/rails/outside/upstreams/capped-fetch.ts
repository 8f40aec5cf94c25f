/** `fetch` for upstreams with small answers: a longer answer fails while it is read, whatever its header says. */
import { UpstreamFailed } from '../../failures.ts'
import { calls } from '../calls.ts'

/** A block of a busy chain with all its logs has 10 MB. */
const mostNodeBytes = 12 << 20
export const mostModelBytes = 1 << 20

export const cappedFetch =
  (mostBytes: number): typeof fetch =>
  async (...asked) => {
    const response = await fetch(...asked)
    if (!response.body) return response
    let bytes = 0
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(part, stream) {
        bytes += part.length
        if (bytes > mostBytes)
          stream.error(new UpstreamFailed(`it answers with more than ${mostBytes} bytes`))
        else stream.enqueue(part)
      },
    })
    return new Response(response.body.pipeThrough(counted), response)
  }

const ofNode = cappedFetch(mostNodeBytes)

/** Nodes may be paid by the call. */
export const nodeFetch: typeof fetch = (asked, options) => {
  calls.count(new URL(asked instanceof Request ? asked.url : asked).host)
  return ofNode(asked, options)
}
