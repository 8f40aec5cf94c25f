/** An address may hold a key: of a node in its path, of a facilitator before its host. No line of the log shows more than the host. */
const address = /(?<=:\/\/)(?:[^\s"'\\/?#@]*@)?[^\s"'\\,;)]+/g

export const hostsOnly = (line: string): string =>
  line.replace(address, found => {
    const end = found.search(/[/?#]/)
    const host = end < 0 ? found : found.slice(0, end)
    return host.slice(host.lastIndexOf('@') + 1)
  })
