import { chainPayments } from '../../schemas/chain-payments.ts'
import { chainRanges } from '../../schemas/chain-ranges.ts'
import { rejects } from '../../schemas/rejects.ts'
import { sourceTicks } from '../../schemas/source-ticks.ts'

export const paymentTopics = [chainPayments, chainRanges, rejects, sourceTicks].map(({ topic }) => topic)
