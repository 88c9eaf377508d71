import { type Step, type Storage, step, unlessConflict } from './contract.ts'

export interface Documents {
  get<T>(key: string): Promise<T | null>
  put(key: string, value: unknown): Promise<void>
  /** Writes several documents in one commit. */
  putAll(documents: ReadonlyMap<string, unknown>): Promise<void>
  swap(swapped: Swapped, others: ReadonlyMap<string, unknown>): Promise<boolean>
  swapStep(swapped: Swapped): Step
  list<T>(prefix: string): Promise<T[]>
  remove(key: string): Promise<void>
  clear(): Promise<void>
}

/** Stores documents by key in a space of their own, for a provider within this process. */
export function createDocuments(storage: Storage, space: string): Documents {
  const statement = {
    get: storage.prepare<{ space: string; key: string }, { value: string }>('document', (db, p) =>
      db.selectFrom('documents').select('value').where('space', '=', p.space).where('key', '=', p.key),
    ),
    put: storage.prepareMany<{ space: string; key: string; value: string }>(
      'document-put',
      { all: ['space', 'key', 'value'], key: ['space', 'key'] },
      (db, rows) =>
        db
          .insertInto('documents')
          .values(rows)
          .onConflict((c) =>
            c.columns(['space', 'key']).doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })),
          ),
    ),
    add: storage.prepare<{ space: string; key: string; value: string }>('document-add', (db, p) =>
      db
        .insertInto('documents')
        .values({ space: p.space, key: p.key, value: p.value })
        .onConflict((c) => c.columns(['space', 'key']).doNothing()),
    ),
    swap: storage.prepare<{ space: string; key: string; was: string; value: string }>(
      'document-swap',
      (db, p) =>
        db
          .updateTable('documents')
          .set({ value: p.value })
          .where('space', '=', p.space)
          .where('key', '=', p.key)
          .where('value', '=', p.was),
    ),
    remove: storage.prepare<{ space: string; key: string }>('document-remove', (db, p) =>
      db.deleteFrom('documents').where('space', '=', p.space).where('key', '=', p.key),
    ),
    clear: storage.prepare<{ space: string }>('documents-clear', (db, p) =>
      db.deleteFrom('documents').where('space', '=', p.space),
    ),
  }
  const swapStep = ({ key, was, value }: Swapped): Step => {
    const text = JSON.stringify(value)
    return was === null
      ? step(statement.add, { space, key, value: text }, 1)
      : step(statement.swap, { space, key, was: JSON.stringify(was), value: text }, 1)
  }
  return {
    get: async <T>(key: string): Promise<T | null> => {
      const [row] = await storage.all(statement.get, { space, key })
      return row ? (JSON.parse(row.value) as T) : null
    },
    put: (key: string, value: unknown): Promise<void> =>
      storage.commit([step(statement.put, { space, key, value: JSON.stringify(value) })]),
    putAll: (documents: ReadonlyMap<string, unknown>): Promise<void> =>
      storage.commit(
        [...documents].map(([key, value]) =>
          step(statement.put, { space, key, value: JSON.stringify(value) }),
        ),
      ),
    swap: async (swapped: Swapped, others: ReadonlyMap<string, unknown>): Promise<boolean> => {
      const guard = swapStep(swapped)
      const writes = [...others].map(([name, other]) =>
        step(statement.put, { space, key: name, value: JSON.stringify(other) }),
      )
      return unlessConflict(storage.commit([guard, ...writes]))
    },
    /** The step of a swap, for a unit that fails with it when the document is another by now. */
    swapStep,
    list: async <T>(prefix: string): Promise<T[]> => {
      const rows = await storage.read((db) =>
        db
          .selectFrom('documents')
          .select('value')
          .where('space', '=', space)
          .where('key', '>=', prefix)
          .where('key', '<', `${prefix}\uffff`)
          .orderBy('key'),
      )
      return rows.map(({ value }) => JSON.parse(value) as T)
    },
    remove: (key: string): Promise<void> => storage.commit([step(statement.remove, { space, key })]),
    clear: (): Promise<void> => storage.commit([step(statement.clear, { space })]),
  }
}

/** A document's former and new content; null where there was none. */
export interface Swapped {
  readonly key: string
  readonly was: unknown
  readonly value: unknown
}
