/** A dataset for tests. Its column is narrower than its event, so the store refuses some events that pass the check. */
import { z } from 'zod'
import { type Dataset, defineDataset, field } from '../../schemas/dataset/dataset.ts'

export const visits = defineDataset({
  name: 'visits',
  about: 'Visits',
  fields: { id: field(z.string(), 'String', 'Id'), seats: field(z.int(), 'UInt8', 'Seats') },
  key: ['id'],
  identity: ['id'],
}) as unknown as Dataset

export const visit = (id: string, seats: unknown = 1) => ({ key: id, value: JSON.stringify({ id, seats }) })

/** The same with a topic and a table of their own. */
export const visitsOf = (name: string): Dataset => ({ ...visits, name, topic: { ...visits.topic, name } })
