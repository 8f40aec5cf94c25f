/** A text as ClickHouse reads it in SQL. */
export const sqlText = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
