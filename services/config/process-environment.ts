/** The only reader of the process's environment. Other code gets what it needs as an argument. */
export const environmentOfProcess = (): Readonly<Record<string, string | undefined>> => process.env
