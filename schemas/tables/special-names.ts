/** Host names that public DNS cannot answer: the IANA registry of special-use names, and names for private use. */
const special = /(^|\.)(localhost|local|internal|test|example|invalid|onion|alt|home\.arpa)$/

export const isSpecialName = (host: string): boolean => special.test(host)
