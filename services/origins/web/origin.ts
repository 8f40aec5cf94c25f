/** Any public page: read, and pictured. */
import manifest from '../../../package.json' with { type: 'json' }
import { defineOrigin } from '../../origin.ts'
import { read } from './read.ts'
import { screenshot } from './screenshot.ts'

export const web = defineOrigin({
  name: 'web',
  title: 'Public pages, read and pictured',
  version: manifest.version,
  address: 'WEB_URL',
  operations: [read, screenshot],
  free: [],
  pages: [],
})
