import type { Storage } from '../../core/storage/index.ts'
import { accountLife, type ExportedByLives } from '../../memberships/account/index.ts'
import type { EndedByLives } from '../../memberships/after-restore/index.ts'
import { auditLogLife } from '../../memberships/audit-log/index.ts'
import { checkoutLife, createCheckoutIds } from '../../memberships/checkout/index.ts'
import { downloadLife } from '../../memberships/downloads/index.ts'
import { giftLife } from '../../memberships/gifts/index.ts'
import { groupLife } from '../../memberships/groups/index.ts'
import { type Departures, hookLife } from '../../memberships/hooks/index.ts'
import { createErasing, ledgerLife } from '../../memberships/ledger/index.ts'
import type { MemberLife, Nothing, TableName } from '../../memberships/life.ts'
import { limitLife } from '../../memberships/limits/index.ts'
import { mailLife } from '../../memberships/mails/index.ts'
import { createAccountReader, memberLife } from '../../memberships/members/index.ts'
import { mergingLife } from '../../memberships/merging/index.ts'
import { raiseLife } from '../../memberships/raises/index.ts'
import { createCalifornia, createDeclarationNumbers, shopLife } from '../../memberships/shop/index.ts'
import { subscriptionsLife } from '../../memberships/subscriptions/index.ts'
import { switchingLife } from '../../memberships/switching/index.ts'
import { trialsLife } from '../../memberships/trials/index.ts'
import { webhooksLife } from '../../memberships/webhooks/index.ts'
import { invalidationOn } from './doors.ts'

/**
 * Every module that keeps something of a member. Deletion, export, merging and restoring ask all of them, and know no
 * table of others.
 */
export function createLives({ storage, now, config, departures, accountsOf = () => [] }: LivesDeps) {
  const california = createCalifornia({ storage, setting: config?.shop.california ?? null, now })
  const { customersOf } = createAccountReader(storage)
  const erasing = createErasing(storage, accountsOf)
  const lives = [
    memberLife(storage, invalidationOn(storage)),
    ledgerLife(storage, {
      customersOf,
      checkoutsOf: createCheckoutIds(storage),
      erasing,
    }),
    auditLogLife(storage),
    subscriptionsLife,
    hookLife(storage, departures),
    limitLife(storage),
    trialsLife,
    mergingLife(storage),
    checkoutLife(storage, california),
    accountLife(storage),
    mailLife(storage, { declarationsOf: createDeclarationNumbers(storage) }),
    giftLife(storage),
    groupLife(storage),
    downloadLife(storage, now),
    raiseLife(storage),
    webhooksLife(storage, erasing),
    shopLife(storage),
    switchingLife,
  ] as const
  return lives satisfies Complete<typeof lives> as readonly MemberLife[]
}

interface LivesDeps {
  readonly storage: Storage
  readonly now: () => Date
  readonly config?: { readonly shop: { readonly california: boolean | null } }
  /** The labels of a provider's webhook secrets. */
  readonly accountsOf?: (provider: string) => readonly string[]
  /** Absent where nobody hears of accounts that go. */
  readonly departures?: Departures
}

type Life = ReturnType<typeof memberLife>
type AnyLife = { readonly [Duty in keyof Life]: unknown } & { readonly tables: readonly TableName[] }
type Result<Duty> = Duty extends (...given: never[]) => Promise<infer Part> ? Part : never
/** All parts at once: a key that two lives fill must fit both. */
type Together<Part> = (Part extends unknown ? (part: Part) => void : never) extends (all: infer All) => void
  ? All
  : never
type Ended<Part> = Part extends { readonly ended: infer Some } ? Some : never

/** The tables of nobody: of the site, its partners and operators, and of the database itself. */
type OfTheSite =
  | 'catalogue'
  | 'documents'
  | 'troubles'
  | 'operators'
  | 'operator_codes'
  | 'office_entries'
  | 'leaving_reasons'
  | 'membership_migrations'
  | OfTheIndex
type OfTheIndex = keyof import('../../core/storage/tables-reports.ts').ReportTables

/**
 * The lives, if together they own every table, fill every key of the export and count everything that a restored copy
 * has to end. What is missing stands in the compiler's message.
 */
type Complete<Lives extends readonly AnyLife[]> = [
  Exclude<TableName, Lives[number]['tables'][number] | OfTheSite>,
] extends [never]
  ? [Together<Result<Exclude<Lives[number]['export'], Nothing>>>] extends [Partial<ExportedByLives>]
    ? [
        Exclude<keyof ExportedByLives, keyof Together<Result<Exclude<Lives[number]['export'], Nothing>>>>,
      ] extends [never]
      ? [Together<Ended<Result<Exclude<Lives[number]['restore'], Nothing>>>>] extends [EndedByLives]
        ? Lives
        : {
            readonly countsMissing: Exclude<
              keyof EndedByLives,
              keyof Together<Ended<Result<Exclude<Lives[number]['restore'], Nothing>>>>
            >
          }
      : {
          readonly exportLacks: Exclude<
            keyof ExportedByLives,
            keyof Together<Result<Exclude<Lives[number]['export'], Nothing>>>
          >
        }
    : { readonly exportDiffers: Together<Result<Exclude<Lives[number]['export'], Nothing>>> }
  : { readonly tablesOfNobody: Exclude<TableName, Lives[number]['tables'][number] | OfTheSite> }
