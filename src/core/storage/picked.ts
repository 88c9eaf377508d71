/**
 * Picks columns of a row. While a query is built, a row has placeholders for values, and does not know its own columns.
 */
export const picked = <Row extends object, K extends keyof Row & string>(
  row: Row,
  columns: readonly K[],
): Pick<Row, K> => Object.fromEntries(columns.map((column) => [column, row[column]])) as Pick<Row, K>
