import { findNote, type Note } from '../../../services/sandbox/note.ts'
import { until } from '../../until.ts'

/** The note that the sandbox of this folder keeps. A busy machine may not answer the first look in time. */
export async function noteOf(folder: string): Promise<Note> {
  let note: Note | undefined
  await until(
    async () => {
      note = await findNote(folder)
      return note !== undefined
    },
    'the note of the sandbox',
    120_000,
  )
  return note as unknown as Note
}
