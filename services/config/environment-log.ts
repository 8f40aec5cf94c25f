/** The variables that say where the log is, and how a process is let in there. */
import { z } from 'zod'
import { logForms, readLogAddress } from '../../pipelines/rails/log/log-address.ts'
import { httpUrl } from './environment-kinds.ts'

const pemFile = z.string().min(1, 'a file in PEM').optional()

export const logVariables = {
  LOG_URL: z
    .string()
    .refine(text => readLogAddress(text) !== undefined, logForms)
    .optional()
    .describe(
      'or `kafka://host:port,host:port`, with TLS `kafka+tls://`, with a login `?sasl=plain`, `scram-sha-256`, `scram-sha-512` or `oauthbearer`: [Kafka with TLS and a login](#kafka-with-tls-and-a-login)',
    ),
  LOG_USERNAME: z
    .string()
    .min(1, 'the name of this process in Kafka')
    .optional()
    .describe('the name of this process in Kafka, with `sasl`; with `oauthbearer` the id of a client'),
  LOG_PASSWORD: z.string().min(1, 'the secret of LOG_USERNAME').optional().describe('its secret'),
  LOG_CA: pemFile.describe(
    'a file in PEM with the authorities that sign the certificates of the brokers; those that Node knows if unset',
  ),
  LOG_CERT: pemFile.describe('a file in PEM with the certificate of this process, where Kafka asks for one'),
  LOG_KEY: pemFile.describe('a file in PEM with its key'),
  LOG_TOKEN_URL: httpUrl('the endpoint of an OAuth server that gives tokens')
    .optional()
    .describe(
      'the endpoint that gives tokens for `LOG_USERNAME` and `LOG_PASSWORD`; required with `oauthbearer`',
    ),
  LOG_TOKEN_SCOPE: z
    .string()
    .min(1, 'a scope of OAuth')
    .optional()
    .describe('the scope of these tokens, where the server wants one'),
}
