/** Writes the JSON that Grafana reads of every board: a line a panel, so that a change shows where it is. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { boardJson } from './board.ts'
import { analysing, operating } from './boards/index.ts'

export const written = () =>
  [...operating, ...analysing].map(board => ({
    file: `${board.uid}.json`,
    text: `${JSON.stringify(boardJson(board)).replaceAll(/(?<=[[,])(?=\{"id":)/g, '\n')}\n`,
  }))

if (import.meta.main) {
  const folder = new URL('./json/', import.meta.url)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const { file, text } of written()) writeFileSync(new URL(file, folder), text)
}
