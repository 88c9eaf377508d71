import { createDocuments, type Storage } from '../../core/storage/index.ts'

/** A row or account that an import could not bring. */
export interface LeftRow {
  /** The line of the file, or the folder of the account. */
  readonly at: string
  /** Masked: `a…@example.com`. */
  readonly email: string | null
  /** The reason. Nothing else of the row is stored, because it may be personal data. */
  readonly code: string
}

/** The leftovers of a written import. */
export interface Leftover {
  /** Always the same id for the same file or folder. */
  readonly id: string
  readonly kind: 'file' | 'accounts'
  /** The name of the exporting system or the folder. */
  readonly name: string
  readonly at: string
  /** The number of rows; `rows` holds the first of them. */
  readonly count: number
  readonly rows: readonly LeftRow[]
}

/** The number of rows kept per import. The command that ran it printed all of them. */
export const keptRows = 200

export interface Leftovers {
  note(what: Omit<Leftover, 'count'>): Promise<void>
  list(): Promise<Leftover[]>
  settle(id: string): Promise<void>
}

/**
 * Keeps the leftovers of imports until an operator settles them. The command prints them only once, perhaps for another
 * person. A repeated import replaces its leftovers, and removes them when nothing is left.
 */
export function createLeftovers(storage: Storage): Leftovers {
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
