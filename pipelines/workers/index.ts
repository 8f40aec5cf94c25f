/** Every worker that belongs to no origin, in one list. A process opens the workers of its roles, in this order. */
import { datasets } from '../../schemas/index.ts'
import { keepingBooks } from './books/books.ts'
import { canaryWatch } from './canary.ts'
import { companyRequests } from './company-requests.ts'
import { checking } from './data-checks.ts'
import { following } from './finality/finality.ts'
import { marketProbing } from './market/prober.ts'
import { weeklyMarket } from './market/weekly.ts'
import { meter } from './meter.ts'
import { polling } from './poller.ts'
import { railsCondition } from './rails-condition.ts'
import { refunding } from './refunds/worker.ts'
import { rendering } from './renderer.ts'
import { sinkOf } from './sink.ts'
import type { Worker } from './worker.ts'

export const workers: readonly Worker[] = [
  ...datasets.filter(({ audience }) => audience !== 'log').map(sinkOf),
  meter,
  following,
  checking,
  railsCondition,
  companyRequests,
  polling,
  weeklyMarket,
  marketProbing,
  refunding,
  keepingBooks,
  canaryWatch,
  rendering,
]
