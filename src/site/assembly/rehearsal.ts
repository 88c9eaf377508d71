import { everything } from '../../core/access/index.ts'
import { type Config, loadConfig } from '../../core/config/index.ts'
import { randomId } from '../../core/http/tokens.ts'
import { openStorage, type Storage } from '../../core/storage/index.ts'
import { type ImportProvider, openProviderImport } from '../../memberships/import/index.ts'
import { createProving, createUsers, type User } from '../../memberships/members/index.ts'
import { configuredProviders } from '../../providers/configured.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import { allProviders } from '../../providers/registry.ts'
import { configOf, type MembershipOptions } from '../options.ts'
import { invalidationOn } from './doors.ts'
import { bookkeepingOf, ledgerOn } from './ledger-settings.ts'
import { rulesOf } from './member-services.ts'

/** A site in memory. Importing everything into it shows which gates that would open. */
export interface Rehearsal {
  readonly config: Config
  readonly storage: Storage
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly importFrom: ImportProvider
  readonly findMember: (id: string) => Promise<User | null>
  close(): Promise<void>
}

/**
 * Opens a site from its configuration on an in-memory database. No job runs and nobody is notified. Providers
 * are only read. Gates are prices.
 * @throws ERR_CONFIG
 */
export async function openRehearsal(
  options: MembershipOptions,
  { now, env }: { now: () => Date; env: Readonly<Record<string, string | undefined>> },
): Promise<Rehearsal> {
  const root = options.root === false ? false : (options.root ?? process.cwd())
  const definitionsOf = allProviders(options.customProviders)
  const { config, definitions } = await loadConfig({
    options: configOf(options),
    root,
    config: options.config,
    env,
    definitions: definitionsOf,
  })
  const storage = await openStorage({ url: 'sqlite::memory:', synchronous: 'normal', pool: 1, now })
  const log = () => undefined
  // Nothing is signed here, so the installation's own secret is neither created nor read.
  const secret = () => 'rehearsal'
  const isProduction = false
  const made = { config, definitions, storage, now, randomId, log, secret, isProduction }
  const configured = configuredProviders(made)
  const providers = new Map([...configured].map(([key, { provider }]) => [key, provider]))
  const bookkeeping = bookkeepingOf({ config, definitions, now, randomId }, configured, {
    // Accounts of version 1 hold purchases of every price, whichever plan names it now.
    shop: () => everything,
    sold: () => undefined,
  })
  const ledger = ledgerOn(bookkeeping)(storage)
  const users = createUsers({
    storage,
    randomId,
    rules: rulesOf(
      config,
      { catalogue: { all: () => [], shop: () => everything, soldSeats: () => false }, providers },
      now,
    ),
    defaultRole: config.members.roles[0] ?? 'member',
    proving: createProving({
      storage,
      invalidation: invalidationOn(storage),
      now,
      noteChange: () => [],
      proved: () => [],
    }),
    noteChange: () => [],
  })
  return {
    config,
    storage,
    providers,
    importFrom: await openProviderImport({
      storage,
      ledger,
      ledgerOn: ledgerOn(bookkeeping),
      providers,
      livemode: bookkeeping.livemode,
      // Its shop takes in everything.
      learnPrices: async () => {},
      turn: async () => {},
      now,
      randomId,
    }),
    findMember: users.findById,
    close: async () => {
      for (const provider of providers.values()) await provider.close?.()
      await storage.close()
    },
  }
}
