/** Watching: what x402 endpoints ask for, whether they are up, and what we sell ourselves, told by signed webhooks. */
import { defineOrigin } from '../../origin.ts'
import { check } from './check.ts'
import { find } from './find.ts'

export const watch = defineOrigin({
  name: 'watch',
  title: 'Watching x402 sellers, and what is sold here',
  version: '0.17.1',
  address: 'EXTRACT_URL',
  operations: [],
  free: [check, find],
  pages: [],
})
