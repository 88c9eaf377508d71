import type { Compilable, Kysely } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'
import * as foundation from './0001-foundation.ts'
import * as passwordHash from './0002-password-hash.ts'
import * as reports from './0003-reports.ts'
import * as life from './0004-life.ts'
import * as deletions from './0005-deletions.ts'
import * as crawled from './0006-crawled.ts'
import * as bodies from './0007-bodies.ts'
import * as buyers from './0008-buyers.ts'
import * as asksAt from './0009-asks-at.ts'
import * as byteOrder from './0010-byte-order.ts'
import * as untold from './0011-untold.ts'
import * as emailChanges from './0012-email-changes.ts'
import * as indexIdentity from './0013-index-identity.ts'
import * as arrears from './0014-arrears.ts'
import * as items from './0015-items.ts'
import * as leaving from './0016-leaving.ts'
import * as purchases from './0017-purchases.ts'
import * as keptHeaders from './0018-kept-headers.ts'
import * as doubles from './0019-doubles.ts'
import * as trials from './0020-trials.ts'
import * as moneyKinds from './0021-money-kinds.ts'
import * as pings from './0022-pings.ts'
import * as unassigned from './0023-unassigned.ts'
import * as looks from './0024-looks.ts'
import * as deeds from './0025-deeds.ts'
import * as imported from './0026-imported.ts'
import * as troubles from './0027-troubles.ts'
import * as merges from './0028-merges.ts'
import * as switches from './0029-switches.ts'
import * as switchPrices from './0030-switch-prices.ts'
import * as rateLimits from './0031-rate-limits.ts'
import * as office from './0032-office.ts'
import * as spoken from './0033-spoken.ts'
import * as officeLists from './0034-office-lists.ts'
import * as agreed from './0035-agreed.ts'
import * as mergeWishes from './0036-merge-wishes.ts'
import * as overdue from './0037-overdue.ts'
import * as unsettledSwitches from './0038-unsettled-switches.ts'
import * as trialEnds from './0039-trial-ends.ts'
import * as narrowFirst from './0040-narrow-first.ts'
import * as trialMarksBegan from './0041-trial-marks-began.ts'
import * as changeRequests from './0042-change-requests.ts'
import * as opensAt from './0043-opens-at.ts'
import * as declarations from './0044-declarations.ts'
import * as identities from './0045-identities.ts'
import * as relinkRequests from './0046-relink-requests.ts'
import * as endingColumns from './0047-ending-columns.ts'
import * as endingIndexes from './0048-ending-indexes.ts'
import * as intentAccounts from './0049-intent-accounts.ts'
import type { Rewriting } from './rewriting.ts'

/** One numbered change of the tables. */
export interface Migration {
  readonly name: string
  up(db: Kysely<Tables>, dialect: Dialect): Compilable[]
  /** Comes before `up`. PostgreSQL does it in parts, so that nobody waits long for a row. */
  rewrites?(dialect: Dialect): Rewriting[]
  /** Indexes on tables that can be large. PostgreSQL makes them afterwards, while others write; nothing may count on one
   *  to be there, as what is unique or what an upsert names would. */
  indexes?(db: Kysely<Tables>, dialect: Dialect): Compilable[]
  /** Indexes of earlier migrations that PostgreSQL drops when those stand. */
  readonly outgrown?: readonly string[]
}

/** In order; the number of a migration is its place, from 1. Never changed once released, only followed. */
export const migrations: readonly Migration[] = [
  foundation,
  passwordHash,
  reports,
  life,
  deletions,
  crawled,
  bodies,
  buyers,
  asksAt,
  byteOrder,
  untold,
  emailChanges,
  indexIdentity,
  arrears,
  items,
  leaving,
  purchases,
  keptHeaders,
  doubles,
  trials,
  moneyKinds,
  pings,
  unassigned,
  looks,
  deeds,
  imported,
  troubles,
  merges,
  switches,
  switchPrices,
  rateLimits,
  office,
  spoken,
  officeLists,
  agreed,
  mergeWishes,
  overdue,
  unsettledSwitches,
  trialEnds,
  narrowFirst,
  trialMarksBegan,
  changeRequests,
  opensAt,
  declarations,
  identities,
  relinkRequests,
  endingColumns,
  endingIndexes,
  intentAccounts,
]
