/** Downloads one large file, and holds only the current piece in memory. */
import { createWriteStream } from 'node:fs'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { asUpstreamFailed, UpstreamFailed } from '../../failures.ts'
import type { UpstreamPlace } from './get.ts'
import type { Download, Validators } from './outside.ts'
import { refusalOf } from './refusal.ts'

/** `file` exists only when it is complete. Until then a partial file is beside it, with the validators to continue it. */
export async function download(place: UpstreamPlace, request: Download): Promise<Validators> {
  const { url, from, userAgent, signal } = place
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
      // A partial file that cannot be continued is downloaded again next time.
      await Promise.all([part, about].map(file => rm(file, { force: true })))
      throw await refusalOf(response, from)
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
      ...place,
    })
    if (length !== null && size !== start + Number(length)) throw new UpstreamFailed(`${from} was cut off`)
    await rename(part, request.file)
    await rm(about, { force: true })
    return validators
  } catch (error) {
    throw asUpstreamFailed(error, from)
  }
}

async function store(
  response: Response,
  part: string,
  start: number,
  total: number | undefined,
  { from, signal, maxBytes, onBytes }: Download & UpstreamPlace,
): Promise<number> {
  let size = start
  const counted = async function* () {
    for await (const bytes of response.body ?? []) {
      size += bytes.length
      if (size > maxBytes) throw new UpstreamFailed(`${from} sent more than ${maxBytes} bytes`)
      onBytes?.(size, total)
      yield bytes
    }
  }
  await pipeline(counted, createWriteStream(part, { flags: start ? 'a' : 'w' }), { signal })
  return size
}
