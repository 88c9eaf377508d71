import { basename, resolve } from 'node:path'
import { maskEmail, normalEmail } from '../../core/email.ts'
import { isMembershipError } from '../../core/errors.ts'
import { type Storage, UnitConflict } from '../../core/storage/index.ts'
import { createLeftovers } from '../../memberships/import/index.ts'
import { type AccountContent, readContent } from './content.ts'
import { type AccountPlace, findAccounts } from './find-accounts.ts'
import { createImportPlanner, type ImportRules, type PlannedMember, refused } from './plan-import.ts'
import { type Trouble, toAccount, type V1Account } from './read.ts'
import { createTwins, customerTwice, notStored, refusalOf } from './refusals.ts'

/** Options of the import, and a listener for progress. */
export interface ImportOptions {
  /** false (default) only shows what would be done. */
  readonly write?: boolean
  readonly onProgress?: (done: number, total: number) => void
}

/** Outcome for one account, without personal data. */
export interface ImportedAccount {
  /** Path below the folder. */
  readonly account: string
  readonly outcome: PlannedMember['outcome']
  readonly member_id: string | null
  /** Masked: `a…@example.com`. */
  readonly email: string | null
  readonly roles: readonly string[]
  readonly grants: number
  readonly customer: boolean
  readonly password: boolean
  readonly troubles: readonly Trouble[]
}

/** Result of an import, or of its dry run. */
export interface ImportReport {
  readonly written: boolean
  readonly created: number
  readonly completed: number
  readonly unchanged: number
  readonly refused: number
  readonly accounts: readonly ImportedAccount[]
}

interface Candidate {
  readonly place: AccountPlace
  readonly account: V1Account
}

/**
 * Imports the accounts of a version 1 site into the member store, each independently: a failing account does
 * not stop the others. Repeating it changes nothing.
 * @throws ERR_USAGE when there are no accounts, ERR_STORAGE
 */
export async function importAccounts(
  storage: Storage,
  rules: ImportRules,
  folder: string,
  { write = false, onProgress }: ImportOptions = {},
): Promise<ImportReport> {
  const places = findAccounts(folder)
  const importOne = createImporter(storage, rules, write)
  const accounts: ImportedAccount[] = []
  for (let from = 0; from < places.length; from += batchSize) {
    const batch = places.slice(from, from + batchSize).flatMap((place) => read(place, rules))
    accounts.push(...(await Promise.all(batch.map(importOne))))
    onProgress?.(Math.min(from + batchSize, places.length), places.length)
  }
  if (write) await noteLeft(storage, rules, folder, accounts)
  const count = (outcome: string) => accounts.filter((account) => account.outcome === outcome).length
  return {
    written: write,
    created: count('created'),
    completed: count('completed'),
    unchanged: count('unchanged'),
    refused: count('refused'),
    accounts,
  }
}

/**
 * Records the accounts that were not imported, and the missing parts of imported ones, for the site's staff.
 */
function noteLeft(
  storage: Storage,
  { now }: ImportRules,
  folder: string,
  accounts: readonly ImportedAccount[],
): Promise<void> {
  return createLeftovers(storage).note({
    // The same for every copy of a site.
    id: `accounts ${basename(resolve(folder))}`,
    kind: 'accounts',
    name: basename(resolve(folder)),
    at: now().toISOString(),
    rows: accounts.flatMap(({ account, email, troubles }) =>
      troubles.map(({ code }) => ({ at: account, email, code })),
    ),
  })
}

// Their writes share commits; a larger batch would only need more memory.
const batchSize = 50
const maxTries = 5

function read(place: AccountPlace, { facts }: ImportRules): Candidate[] {
  return readContent(place).map((content: AccountContent) => ({ place, account: toAccount(content, facts) }))
}

function createImporter(storage: Storage, rules: ImportRules, write: boolean) {
  const planner = createImportPlanner(storage, rules)
  const isTwin = createTwins()

  const store = async (account: V1Account, email: string): Promise<PlannedMember> => {
    for (let attempt = 1; ; attempt++) {
      const planned = await planner.plan(account, email)
      if (!write || planned.steps.length === 0) return planned
      try {
        await storage.commit(planned.steps)
        return planned
      } catch (error) {
        if (isMembershipError(error, 'ERR_STORAGE')) throw error
        if (!(error instanceof UnitConflict) || attempt >= maxTries) return refused(notStored)
      }
    }
  }

  return async ({ place, account }: Candidate): Promise<ImportedAccount> => {
    const email = normalEmail(account.email)
    const refusal = refusalOf(account, email, isTwin)
    const isShared = refusal === null && account.customerId !== null && isTwin('customer', account.customerId)
    const planned = refusal
      ? refused(refusal)
      : await store(isShared ? { ...account, customerId: null } : account, email!)
    return {
      account: place.isFolder ? place.name : `${place.name}#${account.id}`,
      outcome: planned.outcome,
      member_id: planned.memberId,
      email: email === null ? null : maskEmail(email),
      roles: account.roles.length > 0 ? account.roles : [rules.defaultRole],
      grants: planned.grants,
      customer: planned.linksCustomer,
      password: planned.keepsPassword,
      troubles: [...account.troubles, ...planned.troubles, ...(isShared ? [customerTwice] : [])],
    }
  }
}
