/** GET /market/method: by which rules the market is judged, free and before anyone pays. */
import { method } from '../../../../pipelines/market/method.ts'
import type { Page } from '../../../origin.ts'

const body = JSON.stringify(method)

export const marketPages: Page[] = [
  { path: '/market/method', answer: () => ({ type: 'application/json; charset=utf-8', body }) },
]
