import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openBlobs } from '../../../../pipelines/rails/blobs/open-blobs.ts'

/** A bucket whose policy lets a key put objects below `pages/`, and nothing else. */
async function bucketOfRender() {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { method, url = '' } = request
    asked.push(`${method} ${url}`)
    const allowed = method === 'PUT' && url.startsWith('/bucket/pages/')
    request.resume().on('end', () => response.writeHead(allowed ? 200 : 403).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { asked, url: (prefix: string) => `s3://k:s@127.0.0.1:${port}/bucket/${prefix}?tls=false` }
}

describe('Blobs of a key that may only put', () => {
  it('makes no other request', async () => {
    const bucket = await bucketOfRender()
    const failed: unknown[] = []
    const onError = (error: unknown) => void failed.push(error)
    const blobs = await openBlobs(bucket.url('pages'), { onlyPuts: true, onError, sweepMs: 1 })
    const name = await blobs.put(Buffer.from('a page'), 3_600_000)
    await blobs.close()
    expect(bucket.asked).toEqual(['PUT /bucket/pages/probe', `PUT /bucket/pages/${name}`])
    expect(failed).toEqual([])
  })

  it('stops the start if it may not put', async () => {
    const bucket = await bucketOfRender()
    await expect(openBlobs(bucket.url('answers'), { onlyPuts: true })).rejects.toThrow(/403/)
    // A store that reads and removes cannot use the same key.
    await expect(openBlobs(bucket.url('pages'))).rejects.toThrow(/403/)
  })
})
