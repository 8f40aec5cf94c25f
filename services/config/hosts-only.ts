/** An address may hold a key: a node's in its path, a facilitator's before its host. So the log shows hosts only. */
const address = /(?<=:\/\/)(?:[^\s"'\\/?#@]*@)?[^\s"'\\,;)]+/g

export const hostsOnly = (line: string): string =>
  line.replace(address, found => {
    const end = found.search(/[/?#]/)
    const host = end < 0 ? found : found.slice(0, end)
    return host.slice(host.lastIndexOf('@') + 1)
  })
