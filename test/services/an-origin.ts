/** An origin with the operations of a test, at its own address. */
import type { Operation } from '../../services/offer/operation.ts'
import type { OpenOrigin } from '../../services/offer/origin.ts'

export const originOf = (operations: readonly Operation[], more: Partial<OpenOrigin> = {}): OpenOrigin => ({
  name: 'testing',
  title: 'Things to test with',
  version: '1.2.3',
  address: 'PUBLIC_URL',
  url: 'https://farebox.example',
  operations,
  free: [],
  pages: [],
  ...more,
})
