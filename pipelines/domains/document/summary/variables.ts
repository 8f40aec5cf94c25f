/** The variables of the language model that writes summaries. */
import { httpUrl, text } from '../../../rails/environment/kinds.ts'
import { defineVariables, together } from '../../../rails/environment/variables.ts'
import type { ModelOptions } from './model.ts'

/** Undefined if rules write the summaries. */
export const summaryVariables = defineVariables(
  {
    SUMMARY_URL: httpUrl('the base address of an OpenAI-compatible endpoint')
      .optional()
      .describe(
        'an OpenAI-compatible endpoint that writes summaries of 8-Ks, texts and pages, such as `http://host/v1`; rules write them if unset',
      ),
    SUMMARY_MODEL: text('the name of a model')
      .optional()
      .describe('the name of its model; required with `SUMMARY_URL`'),
    SUMMARY_TOKEN: text('a bearer token').optional().describe('a bearer token for it'),
  },
  (values): ModelOptions | undefined => {
    together(values, 'SUMMARY_URL', 'SUMMARY_MODEL')
    const { SUMMARY_URL: url, SUMMARY_MODEL: model, SUMMARY_TOKEN: token } = values
    return url && model ? { url, model, token } : undefined
  },
)
