import { type Storage, step } from './contract.ts'

/** Documents by key in a space of their own: for a provider that lives in the process. */
export const createDocuments = (storage: Storage, space: string) => {
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
    clear: storage.prepare<{ space: string }>('documents-clear', (db, p) =>
      db.deleteFrom('documents').where('space', '=', p.space),
    ),
  }
  return {
    get: async <T>(key: string): Promise<T | null> => {
      const [row] = await storage.all(statement.get, { space, key })
      return row ? (JSON.parse(row.value) as T) : null
    },
    put: (key: string, value: unknown): Promise<void> =>
      storage.commit([step(statement.put, { space, key, value: JSON.stringify(value) })]),
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
    clear: (): Promise<void> => storage.commit([step(statement.clear, { space })]),
  }
}
