import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { randomId } from '../../core/http/tokens.ts'
import { copyFromPostgres, openStorage, type Storage, type Tables } from '../../core/storage/index.ts'
import { createCatalogue } from '../../memberships/catalogue/index.ts'
import { createProving, createUsers } from '../../memberships/members/index.ts'
import {
  type AccessDifference,
  accessDifferences,
  openAccessUpgrade,
} from '../../memberships/upgrade/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import { sqliteFile } from '../doctor/database.ts'
import { copyWhole } from '../doctor/open.ts'
import { loadSite, makeProviders, type SiteInput } from '../doctor/site.ts'
import { invalidationOn } from './doors.ts'
import { rulesOf } from './member-services.ts'

/** The members whose gates the upgrade would close or open, and the number of members that were looked at. */
export interface AccessComparison {
  readonly members: number
  /** True while no start of this version has looked at everybody. */
  readonly waits: boolean
  readonly differences: readonly AccessDifference[]
}

/**
 * Compares, for every member, the decision of earlier versions with the present one. It works on a temporary copy of the
 * database, so neither tables nor rows of the original change, and nobody is notified.
 * @throws ERR_CONFIG, ERR_STORAGE
 */
export async function compareAccess(input: SiteInput): Promise<AccessComparison> {
  const { config, definitions } = await loadSite(input)
  const place = mkdtempSync(join(tmpdir(), 'membership-access-'))
  try {
    const storage = await openCopyOf(config.database.url, { input, file: join(place, 'site.db') })
    const configured = makeProviders(input, { config, definitions, storage })
    const providers = new Map([...configured].map(([key, { provider }]) => [key, provider]))
    try {
      return await compareOn(storage, { config, providers, now: input.now })
    } finally {
      for (const provider of providers.values()) await provider.close?.()
      await storage.close()
    }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

async function compareOn(
  storage: Storage,
  {
    config,
    providers,
    now,
  }: Pick<Loaded, 'config'> & { providers: ReadonlyMap<string, ProviderReader>; now: () => Date },
): Promise<AccessComparison> {
  const catalogue = createCatalogue({ storage, config, providers, now, log: () => undefined })
  await catalogue.load()
  const rules = rulesOf(config, { catalogue, providers }, now)
  const users = createUsers({
    storage,
    randomId,
    rules,
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
  const differences: AccessDifference[] = []
  for await (const difference of accessDifferences({ storage, rules, findMember: users.findById }))
    differences.push(difference)
  const [row] = await storage.read((db) =>
    db
      .selectFrom('members')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('merged_into', 'is', null),
  )
  const waits = (await (await openAccessUpgrade(storage)).refresh()) !== null
  return { members: Number(row?.count ?? 0), waits, differences }
}

type Loaded = Awaited<ReturnType<typeof loadSite>>

async function openCopyOf(
  url: string,
  { input, file }: { input: SiteInput; file: string },
): Promise<Storage> {
  const original = sqliteFile({ url, folder: resolve(input.folder) })
  if (original === null) await copyFromPostgres({ url, file, tables: decidingTables, now: input.now })
  else if (existsSync(original)) copyWhole(original, file)
  else
    throw new MembershipError(
      'ERR_USAGE',
      `There is no database at ${original}, so there is nothing to compare.`,
      {
        action: 'Run the command beside the database that the site uses, or set membership.database.url.',
      },
    )
  return openStorage({ url: `sqlite:${file}`, synchronous: 'normal', pool: 1, now: input.now })
}

/** The tables that gates are decided from. */
const decidingTables: readonly (keyof Tables)[] = [
  'members',
  'customers',
  'subscriptions',
  'payments',
  'grants',
  'groups',
  'group_seats',
  'catalogue',
  'price_raises',
  'documents',
  'limit_keys',
  'limit_usage',
  'limit_credits',
]
