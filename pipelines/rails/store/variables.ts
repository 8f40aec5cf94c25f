/** The variables that say where the store is. */
import { z } from 'zod'
import { port } from '../environment/kinds.ts'

export const storeVariables = {
  STORE_URL: z
    .string()
    .refine(
      text => /^embedded:.+/.test(text) || (/^https?:\/\//.test(text) && URL.canParse(text)),
      'embedded:<folder> or http://user:password@host:8123/database',
    )
    .optional()
    .describe('or `http://farebox:password@host:8123/farebox`'),
  STORE_CLUSTER: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'the name of a cluster in ClickHouse, in letters, digits and _')
    .optional()
    .describe(
      'the cluster of ClickHouse that shares the rows, by its name there; one server has them all if unset: [A cluster of ClickHouse](#a-cluster-of-clickhouse)',
    ),
  STORE_PORT: port
    .default(8123)
    .describe(
      "the embedded store's HTTP port, on loopback; `npm run query` and `npm run export` ask it there",
    ),
  STORE_TCP_PORT: port
    .default(9000)
    .describe("the embedded store's native port, on loopback; `clickhouse-client` asks it there"),
}
