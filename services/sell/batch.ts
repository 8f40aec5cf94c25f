/** Many questions of one operation in one payment, where the file says so. */
import { batchOf } from '../offer/batch.ts'
import type { Operation } from '../offer/operation.ts'
import { atomic } from '../till/quotes.ts'
import { dollars } from '../till/sale/unpaid.ts'
import type { OperationForm } from './form.ts'

/** An operation has eight places. A batch leaves half of them to others. */
const atOnce = 4
const mostTitle = 80

export function fileBatchOf(operation: Operation, { batch }: OperationForm): Operation | undefined {
  if (!batch) return undefined
  const { most, price = dollars(BigInt(atomic(operation.price)) * BigInt(most)) } = batch
  // What is watched is an answer, and a batch has many. It is too much work for trust.
  const { watched: _, trusts: __, ...one } = operation
  return batchOf(one, {
    id: `${operation.id}Batch`,
    path: `${operation.path}/batch`,
    price,
    title: `Up to ${most}: ${operation.title}`.slice(0, mostTitle),
    about: `${operation.title}.`,
    most,
    atOnce,
  })
}
