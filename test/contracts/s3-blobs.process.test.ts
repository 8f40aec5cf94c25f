import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { BlobLost, type Blobs, BlobsAway } from '../../pipelines/rails/blobs/blobs.ts'
import { openBlobs } from '../../pipelines/rails/blobs/open-blobs.ts'
import { s3Client } from '../../pipelines/rails/blobs/s3.ts'
import { readS3Address, type S3Address } from '../../pipelines/rails/blobs/s3-address.ts'
import { onSmallDisk } from '../full-disk.ts'
import { until } from '../until.ts'
import { blobsContract } from './blobs.ts'
import { type S3Server, startS3, startS3Here } from './s3-server.ts'

const server = await startS3()

if ('skipped' in server) {
  test.skip(`blobs in S3: ${server.skipped}`, () => {})
} else {
  afterAll(() => server.stop())
  const s3Address = (url: string) => readS3Address(url) as S3Address
  const placeAt = ({ url }: S3Server) => url.replace('?', `/${randomUUID()}?`)
  const place = () => placeAt(server)
  const hour = 3_600_000

  async function list(url: string): Promise<string[]> {
    const { prefix } = s3Address(url)
    const ask = s3Client(s3Address(url), 5000)
    const query = { 'list-type': '2', prefix, 'max-keys': '1000' }
    const text = (await ask({ method: 'GET', query })).bytes.toString()
    return [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key.slice(prefix.length))
  }

  blobsContract({
    name: 'S3',
    url: place,
    names: list,
    async place(url, name, bytes) {
      const address = s3Address(url)
      const sha256 = 'UNSIGNED-PAYLOAD'
      await s3Client(
        address,
        5000,
      )({
        method: 'PUT',
        object: `${address.prefix}${name}`,
        body: { bytes, sha256 },
      })
    },
    async withoutRoom(work) {
      const here = server.own?.folder ? server : await startS3Here()
      const folder = here?.own?.folder
      if (!folder) return false
      try {
        return await onSmallDisk(folder, 2 << 20, makeRoom => work(placeAt(here), makeRoom))
      } finally {
        if (here !== server) await here.stop()
      }
    },
  })

  describe('blobs in S3, beyond the contract', () => {
    const opened: Blobs[] = []
    afterEach(async () => {
      await Promise.all(opened.splice(0).map(blobs => blobs.close()))
    })
    async function open(url: string, options: Parameters<typeof openBlobs>[1] = {}) {
      const blobs = await openBlobs(url, options)
      opened.push(blobs)
      return blobs
    }

    test.each([
      ['a wrong secret', (url: string) => url.replace(/:[^:@]+@/, ':hush-hush@'), /answered GET 403 \w+$/],
      ['an unknown key', (url: string) => url.replace(/\/\/[^:]+:/, '//NOBODY:'), /answered GET 40\d \w+$/],
      [
        'no such bucket',
        (url: string) => url.replace(/\/[^/?]+\?/, '/nowhere?'),
        /answered GET 404 NoSuchBucket$/,
      ],
    ])('%s stops the start, and the message does not contain the secret', async (_what, wrong, said) => {
      const error: Error = await openBlobs(wrong(server.url)).then(
        () => new Error('opened'),
        error => error,
      )
      expect(error).toBeInstanceOf(BlobsAway)
      expect(error.message).toMatch(said)
      expect(error.message).not.toMatch(/hush|wJalr/)
    })

    test('remove every expired blob, on every page of the list', async () => {
      const url = place()
      let time = Date.UTC(2026, 10, 22, 3, 30)
      const blobs = await open(url, { now: () => time, sweepMs: 10, pageSize: 3 })
      await Promise.all(Array.from({ length: 10 }, () => blobs.put(randomBytes(100), 1)))
      const kept = await blobs.put(randomBytes(100), 4 * hour)
      time += hour
      await until(async () => (await list(url)).length === 1, 'ten of eleven to go')
      expect(await list(url)).toEqual([kept])
    })

    test('ask again when the server says that it is busy', async () => {
      const { origin } = s3Address(server.url)
      let busy = 0
      const front = createServer(async ({ method = '', headers, url }, response) => {
        if (busy-- > 0) return void response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>')
        // The signature covers the Host header, so the proxy passes it on unchanged.
        const behind = request(`${origin}${url}`, { method, headers }, passed => {
          response.writeHead(passed.statusCode ?? 500)
          passed.pipe(response)
        })
        behind.end()
      })
      await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
      const { port } = front.address() as AddressInfo
      const url = place()
      const name = await (await open(url)).put(Buffer.from('bought'), hour)
      const blobs = await open(url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`))
      busy = 2
      expect(String(await blobs.get(name))).toBe('bought')
      busy = 3
      await expect(blobs.get(name)).rejects.toThrow('answered GET 503 SlowDown')
      await new Promise(resolve => front.close(resolve))
    })

    test('do not wait for a sweep when they close', async () => {
      let asked = 0
      const silent = createServer((_, response) => {
        if (++asked === 1) response.end('<ListBucketResult/>')
      })
      await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
      const { port } = silent.address() as AddressInfo
      const survived: unknown[] = []
      const blobs = await open(`s3://k:s@127.0.0.1:${port}/bucket?tls=false`, {
        tryMs: 3_600_000,
        onError: error => survived.push(error),
      })
      await until(() => asked > 1, 'a sweep')
      await blobs.close()
      expect(survived).toEqual([])
      silent.close().closeAllConnections()
    })

    const { own } = server
    if (own) {
      test('start without a server, and work as soon as it is up', async () => {
        await own.kill()
        const survived: unknown[] = []
        const blobs = await open(place(), { onError: error => survived.push(error) })
        expect(String(survived[0])).toMatch(/^BlobsAway: S3 at 127\.0\.0\.1:\d+: connect ECONNREFUSED/)
        await expect(blobs.put(randomBytes(100), hour)).rejects.toBeInstanceOf(BlobsAway)
        await own.start()
        const bytes = randomBytes(100)
        expect((await blobs.get(await blobs.put(bytes, hour))).equals(bytes)).toBe(true)
      })

      test('do not report a blob as lost when the server is dead', async () => {
        const blobs = await open(place())
        const bytes = randomBytes(100)
        const name = await blobs.put(bytes, hour)
        await own.kill()
        const reading = blobs.get(name)
        await expect(reading).rejects.toBeInstanceOf(BlobsAway)
        await expect(reading).rejects.not.toBeInstanceOf(BlobLost)
        await own.start()
        expect((await blobs.get(name)).equals(bytes)).toBe(true)
      })

      test('give up on a server that hangs, after the promised time', async () => {
        const blobs = await open(place(), { tryMs: 300 })
        await own.signal('SIGSTOP')
        try {
          await expect(blobs.put(randomBytes(100), hour)).rejects.toThrow('aborted due to timeout')
        } finally {
          await own.signal('SIGCONT')
        }
        const bytes = randomBytes(100)
        expect((await blobs.get(await blobs.put(bytes, hour))).equals(bytes)).toBe(true)
      })
    }
  })
}
