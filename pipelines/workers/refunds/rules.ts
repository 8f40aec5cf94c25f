/** Rules for refunds that nobody orders one by one: a file of the operator. */
import { z } from 'zod'
import { whatIsWrong } from '../../../schemas/dataset/dataset.ts'
import { IsoDate } from '../../../schemas/values/values.ts'
import { atomsOf } from '../../domains/payments/atoms.ts'
import { contentOf } from '../../rails/environment/kinds.ts'
import { ConfigError } from '../../rails/environment/variables.ts'

const causes = ['undelivered', 'corrected'] as const

const rule = z.strictObject({
  because: z.enum(causes),
  /** What was owed before that day may have been sent by hand. */
  since: IsoDate,
  /** All, if it is absent. */
  operations: z.array(z.string().min(1)).min(1).optional(),
  usdc_a_day: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,6})?$/, 'an amount of USDC as text')
    .transform(atomsOf),
  a_payer_a_day: z.int().min(1).max(1000).default(1),
  /** Wallets beside those of PAY_TO_...: what a payee of somebody else's has got is nothing that a rule gives back. */
  payees: z.array(z.string().min(1)).min(1).optional(),
})

export type RefundRule = z.output<typeof rule>

const ruleFile = z.strictObject({
  rules: z
    .array(rule)
    .refine(
      rules => new Set(rules.map(({ because }) => because)).size === rules.length,
      'one rule for each cause',
    ),
})

/** Throws a ConfigError that says what is wrong. It repeats nothing of the file. */
export function rulesIn(file: string | undefined): RefundRule[] {
  if (file === undefined) return []
  let json: unknown
  try {
    json = JSON.parse(contentOf('REFUND_RULES', file))
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError('REFUND_RULES should name a file of JSON; its text is none')
  }
  const { success, data, error } = ruleFile.safeParse(json)
  if (!success) throw new ConfigError(`REFUND_RULES names a file with a mistake: ${whatIsWrong(error)}`)
  return data.rules
}
