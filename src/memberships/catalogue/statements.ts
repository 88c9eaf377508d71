import type { Row, Storage } from '../../core/storage/index.ts'

/** A price as the provider last reported it. */
export type CatalogueRow = Row<'catalogue'>

/** Statements of the catalogue. A newer reading of a price replaces the older one. */
export function catalogueStatements(storage: Storage) {
  return {
    put: storage.prepareMany<CatalogueRow>(
      'catalogue-put',
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
  }
}

/**
 * Lists the pairs of prices of every raise that was ever begun. An undone one counts, too: whoever was charged the new
 * price keeps it.
 */
export function replacementsIn(
  storage: Pick<Storage, 'read'>,
): Promise<{ provider: string; from: string; to: string }[]> {
  return storage.read((db) =>
    db
      .selectFrom('price_raises')
      .select(['provider', 'from_price as from', 'to_price as to'])
      .distinct()
      .orderBy('provider')
      .orderBy('from_price')
      .orderBy('to_price'),
  )
}
