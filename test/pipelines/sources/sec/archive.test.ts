import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openArchive } from '../../../../pipelines/sources/sec/archive.ts'
import { scratchFolder } from '../../../scratch.ts'
import { ArchiveWriter } from '../../../sec/archive-writer.ts'

const small = Buffer.from('{"cik":1}')
const large = Buffer.from(Array.from({ length: 100_000 }, (_, n) => `${n},`).join(''))

function archived(write: (writer: ArchiveWriter) => void): string {
  const file = join(scratchFolder(), 'some.zip')
  const writer = new ArchiveWriter(file)
  write(writer)
  writer.close()
  return file
}

/** Every member with its content, or with the reason for having none. */
async function read(file: string): Promise<[string, string][]> {
  const archive = await openArchive(file)
  const found: [string, string][] = []
  for await (const member of archive) {
    const content = async () => Buffer.concat(await Array.fromAsync(await member.open())).toString()
    found.push([member.name, await content().catch(error => `${error.name}: ${error.message}`)])
  }
  await archive.close()
  return found
}

describe('an archive', () => {
  it('is read member by member, small ones and large ones', async () => {
    const file = archived(writer => {
      writer.add('a.json', small)
      writer.add('b.json', large)
      writer.add('empty.json', Buffer.alloc(0))
      for (let n = 0; n < 400; n++) writer.add(`${n}.json`, Buffer.from(`${n}`.repeat(n)))
    })
    const members = new Map(await read(file))
    expect(members.size).toBe(403)
    expect(members.get('a.json')).toBe(small.toString())
    expect(members.get('b.json')).toBe(large.toString())
    expect(members.get('empty.json')).toBe('')
    for (let n = 0; n < 400; n++) expect(members.get(`${n}.json`)).toBe(`${n}`.repeat(n))
  })

  it.each<[string, (writer: ArchiveWriter) => void, RegExp]>([
    [
      'is no packed text',
      writer => writer.add('a.json', small, Buffer.from('nothing')),
      /cannot be unpacked/,
    ],
    ['has another checksum', writer => writer.add('a.json', small, undefined, 7), /is damaged/],
    [
      'is shorter than it should be',
      writer => writer.add('a.json', small, Buffer.from([3, 0])),
      /is damaged/,
    ],
  ])('tells of a member that %s, and goes on', async (_what, write, why) => {
    const file = archived(writer => {
      write(writer)
      writer.add('b.json', small)
    })
    expect(await read(file)).toEqual([
      ['a.json', expect.stringMatching(new RegExp(`^UpstreamFailed: a.json ${why.source}`))],
      ['b.json', small.toString()],
    ])
  })

  it('of another format is a failure of the upstream', async () => {
    const file = join(scratchFolder(), 'none.zip')
    writeFileSync(file, '<html>')
    await expect(openArchive(file)).rejects.toThrow('is not a ZIP archive')
  })
})
