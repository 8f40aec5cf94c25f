/** Every source, in one list. */
import type { Source } from './source.ts'

export const sources: readonly Source[] = []
