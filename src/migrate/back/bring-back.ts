import { resolve } from 'node:path'
import { normalEmail } from '../../core/email.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { User } from '../../memberships/members/index.ts'
import { backupFolder, writePlan } from '../journal/index.ts'
import type { SiteFacts } from '../plan.ts'
import { type Kept, keptAccounts } from './kept-accounts.ts'
import type { BringBack } from './result.ts'
import { createWriting } from './writing.ts'

/** The part of version 2 that is read. */
export interface SiteBack {
  readonly storage: Storage
  readonly findMember: (id: string) => Promise<User | null>
}

export interface BringBackOptions {
  readonly facts: SiteFacts
  readonly site: SiteBack
  readonly write?: boolean
  readonly backup?: string
  /**
   * True if a site without accounts is no error: they are somewhere else, and everything is done manually.
   */
  readonly mayBeNone?: boolean
  readonly now: () => Date
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * Writes what members bought in version 2 into version 1's accounts, in its format: purchases, current
 * subscriptions, and accounts for new members. Without `write` it only reports. It is journalled like a
 * migration, and `--rollback` removes it. Repeating it changes nothing. Only the format of Stripe's
 * subscriptions in version 1 is known; those of another provider are listed instead of written.
 * @throws ERR_USAGE when there are no accounts, or they are those of version 2; ERR_STORAGE
 */
export async function bringBack(folder: string, options: BringBackOptions): Promise<BringBack> {
  const { facts, site, write = false, now, onProgress } = options
  const root = resolve(folder)
  const { kept, places } = keptAccounts(root, facts, options.mayBeNone === true)
  const byId = new Map<string, Kept>(
    kept.filter(({ row }) => row === null).map((entry) => [`v1:${entry.account.id}`, entry]),
  )
  const byEmail = new Map(
    kept.flatMap((entry) => [[normalEmail(entry.account.email) ?? '-', entry] as const]),
  )
  const byCustomer = new Map(kept.map((entry) => [entry.account.customerId ?? '-', entry]))
  const rows = await membersOf(site.storage)
  const writing = createWriting(root, { facts, model: places[0], now })
  const met = new Set<Kept>()
  for (const [i, row] of rows.entries()) {
    const user = await site.findMember(row.merged_into ?? row.id)
    onProgress?.(i + 1, rows.length)
    if (user === null) continue
    const match =
      byId.get(row.created_by ?? '') ??
      (row.merged_into === null
        ? (byEmail.get(user.email ?? '') ?? byCustomer.get(user.customerId(facts.provider) ?? ''))
        : undefined)
    if (match) met.add(match)
    if (match || row.merged_into === null) writing.take(user, match, row.merged_into !== null)
  }
  const { created, brought, left, differences, byHand } = writing
  for (const { name } of kept.filter((entry) => !met.has(entry)))
    left.push({ who: name, reason: 'no member of version 2 has it: deleted there, or never brought along' })
  const [changes, databases] = [writing.changes(), writing.databases()]
  const plan = { root, facts, renames: false, changes, created, databases }
  const report =
    write && changes.length + created.length + databases.length > 0
      ? await writePlan(plan, { backup: backupFolder(root, options.backup), now })
      : null
  left.push(...(report?.kept ?? []).map(({ file, reason }) => ({ who: file, reason })))
  return {
    written: write,
    members: rows.length,
    brought,
    left,
    differences,
    byHand,
    backup: report?.backup ?? null,
  }
}

// The row of a deleted account stays for its invoices.
function membersOf(storage: Storage) {
  return storage.read((db) =>
    db
      .selectFrom('members')
      .select(['id', 'created_by', 'merged_into'])
      .where('id', 'not in', db.selectFrom('deletions').select('member_id'))
      .orderBy('id'),
  )
}
