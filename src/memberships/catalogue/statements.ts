import type { Row, Storage } from '../../core/storage/index.ts'

/** A price as the provider last reported it. */
export type CatalogueRow = Row<'catalogue'>

/** Statements of the catalogue. A newer reading of a price replaces the older one. */
export const catalogueStatements = (storage: Storage) => ({
  put: storage.prepareMany<CatalogueRow>(
    { lock: 'other', name: 'catalogue-put' },
    { all: ['provider', 'price_id', 'data', 'refreshed_at'], key: ['provider', 'price_id'] },
    (db, rows) =>
      db
        .insertInto('catalogue')
        .values(rows)
        .onConflict((c) =>
          c.columns(['provider', 'price_id']).doUpdateSet((eb) => ({
            data: eb.ref('excluded.data'),
            refreshed_at: eb.ref('excluded.refreshed_at'),
          })),
        ),
  ),
})
