/** The only place that reads it. Code that needs more than a Config gets it as an argument. */
export const environmentOfProcess = (): Readonly<Record<string, string | undefined>> => process.env
