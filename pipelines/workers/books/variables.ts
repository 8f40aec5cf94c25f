/** The file in which the operator names what coins, settlements and calls cost. */
import { readFileSync } from 'node:fs'
import { costPricesIn, noPrices } from '../../domains/books/cost-prices.ts'
import { text } from '../../rails/environment/kinds.ts'
import { ConfigError, defineVariables } from '../../rails/environment/variables.ts'
import { reasonOf } from '../../rails/failures.ts'

/** Reads the file. Throws a ConfigError if it is wrong. */
export type ReadCosts = () => ReturnType<typeof costPricesIn>

export const costVariables = defineVariables(
  {
    COSTS: text('a file of JSON')
      .optional()
      .describe(
        'a file that says what a coin, a settlement of a facilitator and a call of an upstream or node cost, in dollars: [Costs](#costs)',
      ),
  },
  ({ COSTS: file }): ReadCosts => {
    if (file === undefined) return () => noPrices
    const read = () => {
      try {
        return costPricesIn(readFileSync(file, 'utf8'))
      } catch (error) {
        throw new ConfigError(`COSTS names ${file}; it should be a file of costs: ${reasonOf(error)}`)
      }
    }
    // A process that starts with a wrong file says so at once.
    read()
    return read
  },
)
