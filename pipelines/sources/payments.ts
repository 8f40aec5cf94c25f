/** The source of the payments on one network, which the reader of that network brings. */
import { evmPayments } from './payments/evm.ts'
import type { PaymentReader } from './payments/readers.ts'
import type { SellerWallets } from './payments/sellers.ts'
import { svmPayments } from './payments/svm.ts'
import type { Source } from './source.ts'

export const paymentsBy = (reader: PaymentReader, sellers: SellerWallets): Source =>
  (reader.family === 'evm' ? evmPayments(reader, sellers) : svmPayments(reader, sellers)) as Source
