/**
 * A renderer in a process of its own: `renderer.ts <log> <blobs> <port of the public server>`. It prints each page that it renders.
 */
import { openBlobs } from '../../../../pipelines/rails/blobs/open-blobs.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { openBrowser } from '../../../../pipelines/rails/outside/browser/browser.ts'
import { startRendering } from '../../../../pipelines/workers/renderer.ts'
import { browserFolder } from '../../../browser-folder.ts'
import { webTopics } from './rendering.ts'

const [logUrl = '', blobsUrl = '', port = ''] = process.argv.slice(2)
const log = await openLog(logUrl, { topics: webTopics })
const browser = openBrowser({
  dataDir: browserFolder,
  withoutSandbox: false,
  userAgent: 'Farebox/0.0 (+test)',
})
const renderer = await startRendering({
  log,
  blobs: await openBlobs(blobsUrl),
  browser: {
    ...browser,
    use(work) {
      console.log('a page')
      return browser.use(work)
    },
  },
  web: {
    resolve: async () => ['93.184.216.34'],
    reach: () => ({ host: '127.0.0.1', port: Number(port) }),
  },
  now: Date.now,
  onFailed: (_, error) => console.error(error),
})
console.log('ready')
process.on('SIGTERM', async () => {
  await renderer.close()
  await log.close()
  process.exit(0)
})
