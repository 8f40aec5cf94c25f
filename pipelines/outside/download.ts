/** One large file off the network, with no more of it in memory than passes through. */
import { createWriteStream } from 'node:fs'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { reasonOf, UpstreamFailed, UpstreamRefused } from '../failures.ts'
import type { Download, Validators } from './outside.ts'

/** Stands at `file` only once it is whole; until then beside it, with the validators by which it can be gone on with. */
export async function download(
  url: string,
  request: Download,
  userAgent: string,
  signal: AbortSignal,
): Promise<Validators> {
  const part = `${request.file}.part`
  const about = `${request.file}.part.json`
  const known = await readFile(about, 'utf8').then(JSON.parse, () => undefined)
  const had = known
    ? await stat(part).then(
        ({ size }) => size,
        () => 0,
      )
    : 0
  const since = known?.etag ?? known?.lastModified
  const resumed = had > 0 && since ? { range: `bytes=${had}-`, 'if-range': since } : {}
  try {
    const headers = { 'user-agent': userAgent, 'accept-encoding': 'identity', ...resumed }
    const response = await fetch(url, { headers, signal })
    if (!response.ok) {
      // A part that cannot be gone on with is begun again next time.
      await Promise.all([part, about].map(file => rm(file, { force: true })))
      throw await refusal(response, url)
    }
    const validators = {
      etag: response.headers.get('etag') ?? undefined,
      lastModified: response.headers.get('last-modified') ?? undefined,
    }
    await writeFile(about, JSON.stringify(validators))
    const start = response.status === 206 ? had : 0
    const length = response.headers.get('content-length')
    const size = await store(response, part, start, length === null ? undefined : start + Number(length), {
      ...request,
      url,
      signal,
    })
    if (length !== null && size !== start + Number(length)) throw new UpstreamFailed(`${url} was cut off`)
    await rename(part, request.file)
    await rm(about, { force: true })
    return validators
  } catch (error) {
    if (error instanceof UpstreamFailed) throw error
    throw new UpstreamFailed(`${url}: ${reasonOf(error)}`, { cause: error })
  }
}

async function store(
  response: Response,
  part: string,
  start: number,
  total: number | undefined,
  { url, signal, maxBytes, onBytes }: Download & { url: string; signal: AbortSignal },
): Promise<number> {
  let size = start
  const counted = async function* () {
    for await (const bytes of response.body ?? []) {
      size += bytes.length
      if (size > maxBytes) throw new UpstreamFailed(`${url} sent more than ${maxBytes} bytes`)
      onBytes?.(size, total)
      yield bytes
    }
  }
  await pipeline(counted, createWriteStream(part, { flags: start ? 'a' : 'w' }), { signal })
  return size
}

const keptOfRefusal = 2_000

async function refusal(response: Response, url: string): Promise<UpstreamRefused> {
  const body = (await response.text()).slice(0, keptOfRefusal)
  return new UpstreamRefused(url, response.status, response.headers.get('retry-after') ?? undefined, body)
}
