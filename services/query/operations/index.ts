/** Every paid operation, in one list. */
import type { Operation } from '../operation.ts'

export const operations: readonly Operation[] = []
