/** A small document store for an in-process provider: documents by key, in the database. */
export interface DocumentStore {
  get<T>(key: string): Promise<T | null>
  put(key: string, value: unknown): Promise<void>
  /** Replaces a document if it still equals `was` (null: it does not exist yet), together with other
   *  documents. Returns false and writes nothing if somebody changed one of them meanwhile. */
  swap(
    change: { readonly key: string; readonly was: unknown; readonly value: unknown },
    others: ReadonlyMap<string, unknown>,
  ): Promise<boolean>
  list<T>(prefix: string): Promise<T[]>
  clear(): Promise<void>
}
