/** The variables for the operator's own data about IP addresses. */
import { text } from '../../rails/environment/kinds.ts'
import { defineVariables } from '../../rails/environment/variables.ts'

const database = 'an .mmdb file, or a folder with one for IPv4 and one for IPv6'

export const databaseVariables = defineVariables(
  { IP_DATABASE: text(database).optional().describe(`${database}; the service fetches one if unset`) },
  ({ IP_DATABASE: ipDatabase }) => ({ ipDatabase }),
)

export const extrasVariables = defineVariables(
  {
    IP_EXTRAS: text('a folder')
      .optional()
      .describe(
        'a folder with an .mmdb of networks (ASN), or [the files of a package](#networks-of-ip-addresses), and lists of prefixes `hosting.txt`, `tor.txt`, `relay.txt`, whose first comment names the source; what is absent is null in the answers',
      ),
  },
  ({ IP_EXTRAS: ipExtras }) => ({ ipExtras }),
)
