import { serialize } from 'node:v8'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { UpstreamFailed } from '../../../../../pipelines/rails/failures.ts'
import { packed, unpacked } from '../../../../../pipelines/rails/outside/browser/packing.ts'
import type { Fresh } from '../../../../../pipelines/rails/outside/browser/render.ts'

const page: Fresh = {
  url: 'https://shop.example/',
  finalUrl: 'https://shop.example/kettle',
  redirects: [{ url: 'https://shop.example/', status: 301 }],
  status: 200,
  headers: { 'content-type': 'text/html', __proto__: 'x' },
  contentType: 'text/html',
  charset: 'utf-8',
  bytes: Buffer.from('<h1>Kettle</h1>'),
  address: '93.184.216.34',
  port: 443,
  requestedAt: 1,
  fetchedAt: 2,
  rendered: {
    title: 'Kettle',
    text: 'Kettle – 20 €',
    marked: '',
    html: '<h1>Kettle</h1><p>20 €',
    lang: null,
    picture: Buffer.from([0xff, 0xd8, 0xff, 0xd9]),
    tls: { protocol: 'TLS 1.3', cipher: 'AES_128_GCM', certificates: [Buffer.of(1, 2), Buffer.of(3)] },
    browser: 'Chromium',
    userAgent: 'Farebox',
  },
}

it.each<[string, Fresh]>([
  ['a page as it is', page],
  ['one that nobody has rendered', { ...page, rendered: undefined, charset: undefined }],
  [
    'a large one',
    {
      ...page,
      bytes: Buffer.alloc(3_000_000, 'é'),
      rendered: {
        ...page.rendered,
        text: 'กa'.repeat(700_000),
        marked: 'aก'.repeat(700_000),
        html: '<p>'.repeat(900_001),
      } as Fresh['rendered'],
    },
  ],
  [
    'one without a picture, over plain HTTP',
    {
      ...page,
      rendered: { ...(page.rendered as object), picture: undefined, tls: null } as Fresh['rendered'],
    },
  ],
])('packs %s', async (_what, page) => {
  expect(await unpacked(await packed(page))).toEqual(page)
})

const rewritten = async (change: (all: Buffer) => Buffer) =>
  zstdCompressSync(change(zstdDecompressSync(await packed(page))))

it.each<[string, () => Promise<Buffer> | Buffer]>([
  ['noise', () => Buffer.from('noise')],
  ['objects of V8', () => zstdCompressSync(serialize(page))],
  ['a bomb', () => zstdCompressSync(Buffer.alloc(65 << 20))],
  ['one byte more', () => rewritten(all => Buffer.concat([all, Buffer.of(0)]))],
  ['one byte less', () => rewritten(all => all.subarray(0, -1))],
  [
    'another field',
    () => rewritten(all => Buffer.from(all.toString('latin1').replace('"port"', '"pest"'), 'latin1')),
  ],
  [
    'another length',
    () => rewritten(all => Buffer.from(all.toString('latin1').replace('[15,', '[99,'), 'latin1')),
  ],
])('believes no blob of %s', async (_what, blob) => {
  await expect(unpacked(await blob())).rejects.toThrow(UpstreamFailed)
})
