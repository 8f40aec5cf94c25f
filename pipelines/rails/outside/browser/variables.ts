/** The variables of the browser that renders pages. */
import { z } from 'zod'
import { text } from '../../environment/kinds.ts'
import { defineVariables } from '../../environment/variables.ts'

export const browserVariables = defineVariables(
  {
    BROWSER: text('the path of a Chromium')
      .optional()
      .describe(
        'the Chromium that renders pages; the one of the package `@sparticuz/chromium` if unset, where it is installed',
      ),
    BROWSER_SANDBOX: z
      .enum(['on', 'off'], 'on or off')
      .default('on')
      .describe(
        '`off` runs the browser without its own sandbox: only where nothing else of worth is in its container',
      ),
  },
  ({ BROWSER: named, BROWSER_SANDBOX: sandbox }) => ({ named, withoutSandbox: sandbox === 'off' }),
)
