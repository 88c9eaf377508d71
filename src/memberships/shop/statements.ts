import type { Storage } from '../../core/storage/index.ts'

/** Declarations lie as documents, each under its number. */
export const declarationSpace = 'declarations'

/** What puts a declaration down in the unit that queues its receipt, and reads the newest first. */
export const declarationStatements = (storage: Storage) => ({
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
  one: storage.prepare<{ space: string; key: string }, { value: string }>('document', (db, p) =>
    db.selectFrom('documents').select('value').where('space', '=', p.space).where('key', '=', p.key),
  ),
  all: storage.prepare<{ space: string; limit: number }, { value: string }>('documents-newest', (db, p) =>
    db
      .selectFrom('documents')
      .select('value')
      .where('space', '=', p.space)
      .orderBy('key', 'desc')
      .limit(p.limit),
  ),
})
