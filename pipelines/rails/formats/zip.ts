/** Reads one file of a ZIP archive in memory. */
import { buffer } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import { UpstreamFailed } from '../failures.ts'

export async function readZipped(
  archive: Buffer,
  name: string,
  from: string,
  maxBytes: number,
): Promise<Buffer> {
  if (archive.toString('latin1', 0, 2) !== 'PK') throw new UpstreamFailed(`${from} is not a ZIP archive`)
  const zip = await fromBufferPromise(archive, { lazyEntries: true })
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== name) continue
    if (entry.uncompressedSize > maxBytes)
      throw new UpstreamFailed(`${from}: ${name} is larger than ${maxBytes} bytes`)
    return await buffer(await zip.openReadStreamPromise(entry))
  }
  throw new UpstreamFailed(`${from} holds no ${name}`)
}
