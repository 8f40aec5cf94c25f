/** Notes of an operator that lie beside a log of one file. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { leaveNote, notesIn } from '../../../../pipelines/workers/books/notes.ts'
import type { BookNote } from '../../../../schemas/book-notes.ts'
import { scratchFolder } from '../../../scratch.ts'

const note = (tx: string, words = 'agreed'): BookNote => ({
  ...{ network: 'base', kind: 'no_sale', day: '2026-11-20', tx, payer: '0xa', pay_to: '0xb' },
  ...{ chain_usdc: '1', books_usdc: '0', times: 1, note: words, by: 'me', at: '2026-11-28T12:00:00.000Z' },
})
const folderOf = (log: string) => join(log, '..', 'book-notes')
const wordsIn = (log: string) => notesIn(log).map(({ note }) => note?.note)

it('are none where nobody has explained anything', () => {
  expect(notesIn(join(scratchFolder(), 'log.db'))).toEqual([])
})

it('are taken once, and a second word on the same difference takes the place of the first', () => {
  const log = join(scratchFolder(), 'log.db')
  leaveNote(log, note('0x1', 'first'))
  leaveNote(log, note('0x1', 'second'))
  expect(wordsIn(log)).toEqual(['second'])
  for (const { taken } of notesIn(log)) taken()
  expect(readdirSync(folderOf(log))).toEqual([])
})

it('that cannot be read, or are none, stop no other', () => {
  const log = join(scratchFolder(), 'log.db')
  leaveNote(log, note('0x1'))
  mkdirSync(join(folderOf(log), '0'.repeat(64)))
  writeFileSync(join(folderOf(log), '1'.repeat(64)), 'half a no')
  writeFileSync(join(folderOf(log), '.half-written'), '{')
  expect(wordsIn(log).toSorted()).toEqual(['agreed', undefined])
  for (const { taken } of notesIn(log)) taken()
  expect(readdirSync(folderOf(log)).toSorted()).toEqual(['.half-written', '0'.repeat(64)])
})

it('are a thousand at once, and the others after them', () => {
  const log = join(scratchFolder(), 'log.db')
  for (let n = 0; n < 1002; n++) leaveNote(log, note(`0x${n}`))
  const first = notesIn(log)
  expect(first).toHaveLength(1000)
  for (const { taken } of first) taken()
  expect(notesIn(log)).toHaveLength(2)
})

it('are left whole or not at all', () => {
  const log = join(scratchFolder(), 'log.db')
  // No folder can be made there.
  writeFileSync(folderOf(log), '')
  expect(() => leaveNote(log, note('0x1'))).toThrow()
  expect(notesIn(log)).toEqual([])
})
