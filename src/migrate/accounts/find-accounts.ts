import { type Dirent, readdirSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { MembershipError } from '../../core/errors.ts'

/** An account on disk: a folder with `index.php` and content files, or one file. */
export interface AccountPlace {
  readonly path: string
  /** Path below the given folder, with forward slashes. */
  readonly name: string
  readonly isFolder: boolean
}

/**
 * Lists the accounts of a version 1 site, sorted by name. The folder is the site's or the accounts' own.
 * Links are not followed.
 * @throws ERR_USAGE when there are none
 */
export function findAccounts(folder: string): AccountPlace[] {
  const own = basename(resolve(folder)) === 'accounts' ? [''] : []
  for (const below of ['site/accounts', 'accounts', ...own]) {
    const base = join(folder, below)
    const accounts = isFolder(base) ? readable(base).flatMap((entry) => toPlace(base, below, entry)) : []
    if (accounts.length > 0) return accounts
  }
  throw new MembershipError('ERR_USAGE', `No accounts of version 1 in "${folder}".`, {
    action: 'Name the folder of the old site, the one with site/accounts in it.',
  })
}

function toPlace(base: string, below: string, entry: Dirent): AccountPlace[] {
  const path = join(base, entry.name)
  const place = { path, name: below === '' ? entry.name : `${below}/${entry.name}` }
  if (entry.name.startsWith('.')) return []
  if (entry.isFile()) return /\.(json|ya?ml)$/i.test(entry.name) ? [{ ...place, isFolder: false }] : []
  if (!entry.isDirectory()) return []
  // An unreadable folder counts as an account, so that it is reported.
  const isAccount = entriesOf(path)?.some(({ name }) => accountFile.test(name)) ?? true
  return isAccount ? [{ ...place, isFolder: true }] : []
}

const accountFile = /^(index\.php|\.htpasswd|user(\.\w+)?\.txt|(user|account|index)\.(json|ya?ml))$/i

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function readable(path: string): Dirent[] {
  const entries = entriesOf(path)
  if (entries !== null) return entries
  throw new MembershipError('ERR_USAGE', `The folder "${path}" cannot be read.`, {
    action: 'Run the command as a user that may read the accounts.',
  })
}

function entriesOf(path: string): Dirent[] | null {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return null
  }
}
