/** Who is paid on each network, as a file says it. */
import { z } from 'zod'
import { evmAddress } from '../../pipelines/domains/chain/evm/address.ts'
import { svmAddress } from '../../pipelines/domains/chain/svm/address.ts'
import { isEvm, type NetworkName, networkNames, networks } from '../../schemas/tables/networks.ts'

export const byNetwork = <T extends z.ZodType>(value: (name: NetworkName) => T) =>
  z.strictObject(
    Object.fromEntries(networkNames.map(name => [name, value(name).optional()])) as Record<
      NetworkName,
      z.ZodOptional<T>
    >,
  )

const nobodys = /^(0x0{40}|1{32,44})$/

export const wallet = (name: NetworkName) =>
  z.string().superRefine((text, context) => {
    const read = isEvm(name) ? evmAddress(text) : svmAddress(text)
    if ('wrong' in read) context.addIssue(read.wrong)
    else if (nobodys.test(text) || text.toLowerCase() === networks[name].asset.toLowerCase())
      context.addIssue('nobody has the key of this address')
  })
