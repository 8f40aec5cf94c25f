/** A dataset of the tests' own. Its column is narrower than its event: the store refuses what the check lets pass. */
import { z } from 'zod'
import { type Dataset, defineDataset, field } from '../../schemas/dataset.ts'

export const visits = defineDataset({
  name: 'visits',
  about: 'Visits',
  fields: { id: field(z.string(), 'String', 'Id'), seats: field(z.int(), 'UInt8', 'Seats') },
  key: ['id'],
  identity: ['id'],
}) as unknown as Dataset

export const visit = (id: string, seats: unknown = 1) => ({ key: id, value: JSON.stringify({ id, seats }) })
