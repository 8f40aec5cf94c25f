/** Makes the error for a refusal of an upstream. It keeps the beginning of the body, which says why. */
import { UpstreamRefused } from '../../failures.ts'

const kept = 2_000

export async function refusalOf(response: Response, from: string, body?: string): Promise<UpstreamRefused> {
  const begins = (body ?? (await beginning(response))).slice(0, kept)
  return new UpstreamRefused(from, response.status, response.headers.get('retry-after') ?? undefined, begins)
}

async function beginning(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    parts.push(part)
    size += part.length
    if (size >= kept) break
  }
  return Buffer.concat(parts).toString('utf8')
}
