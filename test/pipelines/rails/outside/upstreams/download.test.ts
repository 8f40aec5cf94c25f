import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createOutside } from '../../../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { scratchFolder } from '../../../../scratch.ts'
import { startUpstream } from '../../../../upstream.ts'
import { someUpstream } from './some-upstream.ts'

const content = Buffer.alloc(3_000_000, 'the archive ')

/** Serves the content with its ETag, and cuts off the first answers in the middle. */
async function startFiles({ cuts = 0, ranges = true } = {}) {
  const state = { cuts, tag: '"one"', content }
  const upstream = await startUpstream((request: IncomingMessage, response: ServerResponse) => {
    const { range, 'if-range': since } = request.headers
    const from = ranges && since === state.tag ? Number(/^bytes=(\d+)-$/.exec(String(range))?.[1] ?? 0) : 0
    const body = state.content.subarray(from)
    response.writeHead(from ? 206 : 200, { etag: state.tag, 'content-length': body.length })
    if (state.cuts-- > 0) response.write(body.subarray(0, body.length >> 1), () => response.destroy())
    else response.end(body)
  })
  const file = join(scratchFolder(), 'archive.zip')
  const outside = createOutside({
    at: { FILES_URL: upstream.url },
    contact: 'tests@example.org',
    now: Date.now,
  })(new AbortController().signal)
  const sizes: number[] = []
  return {
    ...upstream,
    state,
    file,
    sizes,
    get: (maxBytes = 10_000_000) =>
      outside.download(someUpstream('FILES_URL'), '/', {
        file,
        maxBytes,
        onBytes: bytes => void sizes.push(bytes),
      }),
  }
}

describe('a download', () => {
  it('appears at its place only once it is complete', async () => {
    const files = await startFiles({ cuts: 1 })
    await expect(files.get()).rejects.toThrow(files.url)
    expect(existsSync(files.file)).toBe(false)
    expect(await files.get()).toMatchObject({ etag: '"one"' })
    expect(readFileSync(files.file).equals(content)).toBe(true)
    expect(files.sizes.at(-1)).toBe(content.length)
  })

  it('continues where it was cut off', async () => {
    const files = await startFiles({ cuts: 1 })
    await expect(files.get()).rejects.toThrow()
    const had = files.sizes.at(-1)
    await files.get()
    expect(files.asked[1]?.headers).toMatchObject({ range: `bytes=${had}-`, 'if-range': '"one"' })
    expect(readFileSync(files.file).equals(content)).toBe(true)
  })

  it.each([
    ['has changed', { ranges: true, tag: '"two"' }],
    ['knows no ranges', { ranges: false, tag: '"one"' }],
  ])('begins again if the upstream %s', async (_, { ranges, tag }) => {
    const files = await startFiles({ cuts: 1, ranges })
    await expect(files.get()).rejects.toThrow()
    const other = Buffer.alloc(2_500_000, 'another ')
    Object.assign(files.state, { tag, content: other })
    await files.get()
    expect(readFileSync(files.file).equals(other)).toBe(true)
  })

  it('is given up if it grows beyond its limit', async () => {
    const files = await startFiles()
    await expect(files.get(1_000_000)).rejects.toThrow('more than 1000000 bytes')
    expect(existsSync(files.file)).toBe(false)
  })
})
