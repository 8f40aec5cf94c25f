/** The pages of a crawl, a line of JSON for each, for whoever has the signed link. */
import { BlobLost } from '../../../../pipelines/rails/blobs/blobs.ts'
import { crawlNow } from '../../../../schemas/site-crawls.ts'
import { Failure } from '../../../offer/errors.ts'
import type { OriginPage } from '../../../offer/origin.ts'
import { crawlsOf } from './crawls.ts'
import { isResultLink, resultPath } from './result-link.ts'

const gone = () => new Failure('not_found', 'This link is not ours, or its week is over')

export const crawlResult: OriginPage = {
  path: resultPath,
  async answer({ query }, tools) {
    const { blobs, desk } = crawlsOf(tools)
    if (!isResultLink(query, desk.seal, tools.now())) throw gone()
    const { result_blob } = tools.view(crawlNow, undefined).get(query.crawl_id ?? '') ?? {}
    if (!result_blob) throw gone()
    try {
      return { type: 'application/x-ndjson; charset=utf-8', body: await blobs.get(result_blob) }
    } catch (error) {
      if (error instanceof BlobLost) throw gone()
      throw error
    }
  },
}
