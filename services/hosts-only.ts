/** An address may hold a key: of a node in its path, of a facilitator before its host. No line of the log shows more than the host. */
const address = /\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s"'\\/?#@]*@)?([^\s"'\\/?#@,;)]+)([/?#][^\s"'\\,;)]*)?/gi

export const hostsOnly = (line: string): string => line.replace(address, '$1$2')
