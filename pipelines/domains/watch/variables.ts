/** The variable of subscriptions. */
import { keys as keysKind } from '../../rails/environment/kinds.ts'
import { defineVariables } from '../../rails/environment/variables.ts'
import { Seal } from './seal.ts'

/** Undefined if this deployment has no subscriptions. */
export const watchVariables = defineVariables(
  {
    WEIGH_KEY: keysKind
      .optional()
      .describe(
        'proves the messages of `/weigh`, hides webhook secrets and signs webhooks; without it there are no subscriptions; to change it, put the new key in front of the old one',
      ),
  },
  ({ WEIGH_KEY: keys }) => {
    const [first, ...former] = keys ?? []
    return first === undefined ? undefined : new Seal([first, ...former])
  },
)
