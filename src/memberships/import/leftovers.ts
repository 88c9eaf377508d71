import { createDocuments, type Storage } from '../../core/storage/index.ts'

/** A row or an account that an import left behind. */
export interface LeftRow {
  /** The place: a line of the file, the folder of an account. */
  readonly at: string
  /** Masked: `a…@example.com`. */
  readonly email: string | null
  /** Why. Nothing else of the row is kept: it may be a person's. */
  readonly code: string
}

/** The leftovers of an import that was written. */
export interface Leftover {
  /** The id, always the same for the same file or folder. */
  readonly id: string
  readonly kind: 'file' | 'accounts'
  /** The name of the exporting system, or the folder's. */
  readonly name: string
  readonly at: string
  /** The number of rows; `rows` are the first of them. */
  readonly count: number
  readonly rows: readonly LeftRow[]
}

/** So many rows are kept of one import; the command that ran it printed all. */
export const keptRows = 200

/**
 * Keeps the leftovers of imports until somebody settles them: the command prints them once, and whoever looks after
 * the site may be somebody else. Run again, an import says anew what it leaves; where that is nothing, nothing is
 * kept.
 */
export const createLeftovers = (storage: Storage) => {
  const documents = createDocuments(storage, 'import-left')
  const settle = (id: string): Promise<void> => documents.remove(id)
  return {
    note: (what: Omit<Leftover, 'count'>): Promise<void> =>
      what.rows.length === 0
        ? settle(what.id)
        : documents.put(what.id, {
            ...what,
            count: what.rows.length,
            rows: what.rows.slice(0, keptRows),
          } satisfies Leftover),
    list: (): Promise<Leftover[]> => documents.list<Leftover>(''),
    settle,
  }
}
export type Leftovers = ReturnType<typeof createLeftovers>
