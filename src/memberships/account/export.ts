import type { AccountExport } from '../../core/dto/account-export.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import { type Exporting, type MemberLife, nothing } from '../life.ts'
import { createAccountReader, type User } from '../members/index.ts'

/**
 * Builds the export.
 * @throws ERR_NOT_FOUND
 */
export type ExportOf = (user: User) => Promise<AccountExport>

/** The part of the export that the lives fill: everything but its own description. */
export type ExportedByLives = Omit<AccountExport, 'format' | 'version' | 'exported_at'>

/** Asks each module what it keeps of one member. For a password it only states whether one exists. */
export function createExport({
  storage,
  lives,
  now,
}: {
  storage: Storage
  lives: readonly MemberLife[]
  now: () => Date
}): ExportOf {
  const accounts = createAccountReader(storage)
  return async (user) => {
    const row = await accounts.findById(user.id)
    if (!row) throw new MembershipError('ERR_NOT_FOUND', 'There is no such account.')
    const member: Exporting = {
      id: user.id,
      email: row.email_verified === 1 ? row.email : null,
      subscriptions: () => user.subscriptions(),
      payments: () => user.payments(),
    }
    const parts = await Promise.all(lives.map(({ export: read }) => (read === nothing ? {} : read(member))))
    const found = Object.assign({}, ...parts) as Record<string, unknown>
    Object.assign(found, { format: 'membership-account', version: 1, exported_at: now().toISOString() })
    return Object.fromEntries(Object.keys(order).map((key) => [key, found[key]])) as AccountExport
  }
}

/** The keys in the order of the schema, whichever module is asked first. A start does not load the schema itself. */
const order: { readonly [Key in keyof AccountExport]: true } = {
  format: true,
  version: true,
  exported_at: true,
  profile: true,
  fields: true,
  subscriptions: true,
  payments: true,
  grants: true,
  seats: true,
  gifts: true,
  limits: true,
  free_pages: true,
  feeds: true,
  sessions: true,
  customers: true,
  checkouts: true,
  consent_proofs: true,
  merged_accounts: true,
  audit_log: true,
  declarations: true,
  mails: true,
  unsent_mails: true,
  mails_off_at: true,
  deletion: true,
}
