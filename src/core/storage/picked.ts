/**
 * Picks columns of a row. While a query is built, a row has placeholders for values, and does not know its own columns.
 */
export function picked<Row extends object, K extends keyof Row & string>(
  row: Row,
  columns: readonly K[],
): Pick<Row, K> {
  return Object.fromEntries(columns.map((column) => [column, row[column]])) as Pick<Row, K>
}
