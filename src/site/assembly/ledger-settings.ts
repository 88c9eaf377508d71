import type { Storage } from '../../core/storage/index.ts'
import type { Catalogue } from '../../memberships/catalogue/index.ts'
import { createLedger, type Ledger } from '../../memberships/ledger/index.ts'
import type { ConfiguredProvider } from '../../providers/configured.ts'
import type { ProviderDefinition } from '../../providers/contract.ts'
import { neighboursOn } from './doors.ts'
import type { Environment } from './environment.ts'

/** Settings that every ledger of a site shares, whichever database it writes to. */
export function bookkeepingOf(
  { config, definitions, now, randomId }: Pick<Environment, 'config' | 'definitions' | 'now' | 'randomId'>,
  configured: ReadonlyMap<string, ConfiguredProvider>,
  catalogue: Pick<Catalogue, 'shop' | 'sold'>,
) {
  const having = (rule: ProviderDefinition['customers']) =>
    new Set(definitions.filter(({ customers }) => customers === rule).map(({ key }) => key))
  const [byAddress, byMember] = [having('by_address'), having('by_member')]
  return {
    now,
    randomId,
    rules: { create: config.members.create, roles: config.members.roles },
    livemode: livemodeIn(configured),
    shopOf: catalogue.shop,
    sold: catalogue.sold,
    keepsMonths: config.office.enabled,
    sharesCustomers: (key: string) => byAddress.has(key),
    namesMembers: (key: string) => byMember.has(key),
  }
}

/** Returns the mode (live or test) that counts at a provider; null if none is configured. */
export function livemodeIn(configured: ReadonlyMap<string, ConfiguredProvider>) {
  return (key: string): boolean | null => configured.get(key)?.livemode ?? null
}

/**
 * Builds a ledger of the same site on another database. It makes no provider requests and sends no
 * notifications.
 */
export function ledgerOn(bookkeeping: ReturnType<typeof bookkeepingOf>) {
  return (storage: Storage): Ledger =>
    createLedger({
      storage,
      neighbours: neighboursOn(storage),
      ...bookkeeping,
      canFetch: () => false,
      reports: false,
    })
}
