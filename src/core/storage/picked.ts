/** These columns of a row, which while a query is built has placeholders for values and names none by itself. */
export const picked = <Row extends object, K extends keyof Row & string>(
  row: Row,
  columns: readonly K[],
): Pick<Row, K> => Object.fromEntries(columns.map((column) => [column, row[column]])) as Pick<Row, K>
