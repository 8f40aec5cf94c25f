/** A process that puts blobs without end, so that a test can kill it at any moment. */
import { randomBytes } from 'node:crypto'
import { openBlobs } from '../../pipelines/rails/blobs/open-blobs.ts'

const [url, mode] = process.argv.slice(2) as [string, 'told' | 'putting']
const blobs = await openBlobs(url)
for (;;) {
  const names = await Promise.all(Array.from({ length: 4 }, () => blobs.put(randomBytes(200_000), 3_600_000)))
  if (mode === 'told') process.stdout.write(names.map(name => `${name}\n`).join(''))
}
