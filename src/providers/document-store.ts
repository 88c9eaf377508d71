/** A small place of its own for a provider that lives in the process: documents by key, kept in the database. */
export interface DocumentStore {
  get<T>(key: string): Promise<T | null>
  put(key: string, value: unknown): Promise<void>
  /** Writes one document in place of what it was when it was read (null: not there yet), together with others, or
   *  nothing at all: false when somebody else has changed it meanwhile. */
  swap(
    change: { readonly key: string; readonly was: unknown; readonly value: unknown },
    others: ReadonlyMap<string, unknown>,
  ): Promise<boolean>
  list<T>(prefix: string): Promise<T[]>
  clear(): Promise<void>
}
