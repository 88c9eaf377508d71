/** Rewrites the rows of a table that can be large; done again it changes nothing. */
export interface Rewriting {
  readonly table: string
  /** The table's primary key, by whose order the rows are gone through. */
  readonly key: readonly string[]
  /** For the rows of a range of keys, which is a condition on them. A row whose key changes may be met again. */
  readonly texts: (range: string) => string[]
}
