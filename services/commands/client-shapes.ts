/** Writes the types of the client. No commit holds them: they follow from the operations, and would change on every branch. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { origins } from '../origins/index.ts'
import { clientCalls } from '../query/catalog/client-calls.ts'
import { clientShapes } from '../query/catalog/typescript.ts'
import { withReceipts } from '../query/signing/routes.ts'

export const sold = withReceipts(origins, { addresses: [] }).map(origin => ({ ...origin, url: '' }))
export const soldCalls = clientCalls(sold)

export function writeClientShapes(): void {
  const file = join(import.meta.dirname, '../client/shapes.ts')
  const text = clientShapes(soldCalls)
  // A rewritten file would be compiled again, so an equal one stays.
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}

if (import.meta.main) writeClientShapes()
