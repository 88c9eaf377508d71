import type { Storage } from '../../core/storage/index.ts'
import { createLedger, type Ledger } from '../../memberships/ledger/index.ts'
import type { ConfiguredProvider } from '../../providers/configured.ts'
import type { Environment } from './environment.ts'

/** The settings of every ledger of a site, on whichever database it writes. */
export const bookkeepingOf = (
  { config, definitions, now, randomId }: Pick<Environment, 'config' | 'definitions' | 'now' | 'randomId'>,
  configured: ReadonlyMap<string, ConfiguredProvider>,
) => {
  const byAddress = new Set(
    definitions.flatMap(({ customers: are, key }) => (are === 'by_address' ? [key] : [])),
  )
  return {
    now,
    randomId,
    rules: { create: config.members.create, roles: config.members.roles },
    livemode: livemodeIn(configured),
    sharesCustomers: (key: string) => byAddress.has(key),
  }
}

/** The mode that counts at a provider; null where none is configured. */
export const livemodeIn =
  (configured: ReadonlyMap<string, ConfiguredProvider>) =>
  (key: string): boolean | null =>
    configured.get(key)?.livemode ?? null

/** A ledger of the same site on another database, which asks nobody and tells nobody. */
export const ledgerOn =
  (bookkeeping: ReturnType<typeof bookkeepingOf>) =>
  (storage: Storage): Ledger =>
    createLedger({ storage, ...bookkeeping, canFetch: () => false, reports: false })
