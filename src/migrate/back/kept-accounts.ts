import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { AccountContent } from '../accounts/content.ts'
import { readContent } from '../accounts/content.ts'
import { type AccountPlace, findAccounts } from '../accounts/find-accounts.ts'
import { type AccountRow, accountRowsIn } from '../accounts/index.ts'
import { providerData, toAccount, type V1Account } from '../accounts/read.ts'
import { findFiles } from '../find.ts'
import type { SiteFacts } from '../plan.ts'
import { toSource } from '../source.ts'

/** An account of version 1, and where it is stored. */
export interface Kept {
  readonly name: string
  readonly account: V1Account
  /** File with the provider's data, below the site's folder; for a row, the database file. */
  readonly file: string | null
  readonly index: number
  readonly row: AccountRow | null
  readonly unwritable: string | null
}

/**
 * Lists every account of a site: those in files, and the rows of its SQLite files.
 * @throws ERR_USAGE when there are none, or they are those of version 2; ERR_STORAGE
 */
export function keptAccounts(
  root: string,
  facts: SiteFacts,
  mayBeNone: boolean,
): { readonly kept: readonly Kept[]; readonly places: readonly AccountPlace[] } {
  const databases = findFiles(root).found.filter(({ part }) => part === 'database')
  const rows = databases.flatMap(({ file }) =>
    accountRowsIn(join(root, file), facts).map((row) => keptRow(file, row, facts)),
  )
  const places = placesIn(root, mayBeNone || rows.length > 0)
  return { kept: [...places.flatMap((place) => accountsOf(root, place, facts)), ...rows], places }
}

function placesIn(root: string, isEnough: boolean): AccountPlace[] {
  try {
    return findAccounts(root)
  } catch (error) {
    if (isEnough && isMembershipError(error, 'ERR_USAGE')) return []
    throw error
  }
}

function keptRow(file: string, row: AccountRow, facts: SiteFacts): Kept {
  const { table, column, rowid } = row.place
  const { account, trouble } = understood(row.content, facts)
  return {
    name: `${file}: ${table}.${column}, row ${rowid}`,
    account,
    file,
    index: 0,
    row,
    unwritable: row.unwritable ?? trouble,
  }
}

function accountsOf(root: string, place: AccountPlace, facts: SiteFacts): Kept[] {
  return readContent(place).map((content, index) => {
    const { account, trouble } = understood(content, facts)
    return {
      name: place.isFolder ? place.name : `${place.name}#${account.id}`,
      account,
      file: place.isFolder ? contentFile(root, place, facts) : place.name,
      index,
      row: null,
      unwritable: trouble,
    }
  })
}

/** Reads an account, and the reason why it cannot be written. @throws ERR_USAGE when it is of version 2 */
function understood(
  content: AccountContent,
  facts: SiteFacts,
): { readonly account: V1Account; readonly trouble: string | null } {
  if (providerData(content, facts, [])?.payments !== undefined)
    throw new MembershipError('ERR_USAGE', 'The accounts are those of version 2. Nothing was written.', {
      action: 'First take the migration back: membership migrate my-site --rollback',
    })
  const account = toAccount(content, facts)
  const trouble = account.troubles.find(
    ({ code }) => code !== 'password-unknown' && code !== 'payment-unclear',
  )
  return { account, trouble: trouble?.reason ?? null }
}

/** Returns the file for an account's data, which may not exist yet. */
function contentFile(root: string, { path, name }: AccountPlace, { field }: SiteFacts): string | null {
  const files = readdirSync(path)
    .filter((file) => /^(user(\.\w+)?\.txt|(user|account|index)\.(json|ya?ml))$/i.test(file))
    .sort()
  const has = files.find((file) =>
    new RegExp(`(^|["'\\s])${field.replace(/[^\w]/g, '.')}["']?\\s*:`, 'im').test(
      textOf(root, `${name}/${file}`),
    ),
  )
  const file = has ?? files[0]
  return file === undefined ? null : `${name}/${file}`
}

/** Returns a file's text; empty if it does not exist or cannot be edited. */
export function textOf(root: string, file: string): string {
  const path = join(root, file)
  const source = existsSync(path) ? toSource(file, readFileSync(path)) : ''
  return typeof source === 'string' ? '' : source.text
}
