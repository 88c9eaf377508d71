import type { PaymentData, SubscriptionData } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { User } from '../members/index.ts'
import { type MemberRow, memberStatements } from '../members/statements.ts'
import { mergeStatements } from '../merging/statements.ts'
import { type GiftRow, giftStatements } from '../offers/gift-statements.ts'
import { groupStatements } from '../offers/group-statements.ts'
import { deletionStatements } from './deletion-statements.ts'
import type { AccountExport } from './export-schema.ts'
import { exportStatements } from './export-statements.ts'

/**
 * Builds the export.
 * @throws ERR_NOT_FOUND
 */
export type ExportOf = (user: User) => Promise<AccountExport>

/** Reads the current data of one member. For a password it only states whether one exists. */
export const createExport = ({ storage, now }: { storage: Storage; now: () => Date }): ExportOf => {
  const statements = exportStatements(storage)
  const { customers: customersOf } = memberStatements(storage)
  const { find: deletionOf } = deletionStatements(storage)
  const { mergedInto } = mergeStatements(storage)
  const offeredTo = createOffered(storage)
  return async (user) => {
    const key = { member_id: user.id }
    const [[row], customers, grants, sessions, checkouts, records, merged, [leaving]] = await Promise.all([
      storage.all(statements.profile, key),
      storage.all(customersOf, key),
      storage.all(statements.grants, key),
      storage.all(statements.sessions, key),
      storage.all(statements.checkouts, key),
      storage.all(statements.auditLog, key),
      storage.all(mergedInto, key),
      storage.all(deletionOf, key),
    ])
    if (!row) throw new MembershipError('ERR_NOT_FOUND', 'There is no such account.')
    const email = row.email_verified === 1 ? row.email : null
    const offered = await offeredTo(user.id)
    const [[choices], mails, declarations, unsent] = await Promise.all([
      storage.all(statements.choices, key),
      storage.all(statements.mails, key),
      storage.all(statements.declarations, { ...key, email }),
      storage.all(statements.unsent, { lane: `mail:${user.id}` }),
    ])
    const [free_pages, used, keys, credits, feeds] = await Promise.all([
      storage.all(statements.freePages, { owner: `member:${user.id}` }),
      storage.all(statements.limits, key),
      storage.all(statements.limitKeys, key),
      storage.all(statements.limitCredits, key),
      storage.all(statements.feeds, key),
    ])
    const intents = new Set(checkouts.map(({ id }) => id))
    return {
      format: 'membership-account',
      version: 1,
      exported_at: now().toISOString(),
      profile: profileOf(row),
      fields: withoutSecrets(JSON.parse(row.content) as Record<string, unknown>),
      subscriptions: user
        .subscriptions()
        .map((subscription) => copyOf<SubscriptionData>(subscription, intents)),
      payments: user.payments().map((payment) => copyOf<PaymentData>(payment, intents)),
      grants,
      ...offered,
      limits: { used, keys, credits },
      free_pages,
      feeds,
      sessions: sessions.map((session) => ({ ...session, verified: session.verified === 1 })),
      customers: customers.map(({ moved_from: _, guest, deleted, ...customer }) => ({
        ...customer,
        guest: guest === 1,
        deleted: deleted === 1,
      })),
      checkouts: checkouts.map(({ id: _, consent, ...item }) => ({
        ...item,
        consent: consent && JSON.parse(consent),
      })),
      merged_accounts: merged,
      audit_log: records.map(({ before, after, ...item }) => ({
        ...item,
        before: before && JSON.parse(before),
        after: after && JSON.parse(after),
      })),
      declarations,
      mails,
      unsent_mails: unsentOf(unsent, email),
      mails_off_at: choices?.mails_off_at ?? null,
      deletion: leaving ? { requested_at: leaving.requested_at, done_at: leaving.done_at } : null,
    }
  }
}

/** Reads a member's seats and gifts. */
const createOffered = (storage: Storage) => {
  const gifts = giftStatements(storage)
  const groups = groupStatements(storage)
  return async (id: string): Promise<Pick<AccountExport, 'seats' | 'gifts'>> => {
    const [seats, bought, owned] = await Promise.all([
      storage.all(groups.ofMember, { member_id: id }),
      storage.all(gifts.ofBuyer, { buyer_id: id }),
      storage.all(gifts.ofMember, { member_id: id }),
    ])
    return {
      seats: seats.map(({ id: seat, role, status, created_at, joined_at, ended_at }) => ({
        ...{ id: seat, role, status, created_at, joined_at, ended_at },
      })),
      gifts: [
        ...bought.filter(({ code_hash }) => code_hash !== null).map((gift) => giftOf(gift, 'buyer')),
        // The buyer typed the words and the address.
        ...owned.map((gift) => ({ ...giftOf(gift, 'owner'), to: null })),
      ],
    }
  }
}

const giftOf = (gift: GiftRow, role: 'buyer' | 'owner'): AccountExport['gifts'][number] => {
  const {
    id,
    status,
    plan,
    months,
    to_email: to,
    message,
    created_at,
    sent_at,
    redeemed_at,
    closed_at,
  } = gift
  return { id, role, status, plan, months, to, message, created_at, sent_at, redeemed_at, closed_at }
}

// An intent's id lets anybody who has it continue the checkout. Providers return it as metadata.
const copyOf = <T extends SubscriptionData | PaymentData>(
  value: Readonly<T>,
  intents: ReadonlySet<string>,
): T => ({
  ...(JSON.parse(JSON.stringify(value)) as T),
  metadata: Object.fromEntries(
    Object.entries(value.metadata).filter(([, item]) => !intents.has(item.split('.')[0]!)),
  ),
})

interface QueuedMail {
  readonly kind: string
  readonly payload: string
  readonly status: string
  readonly created_at: string
}

/** Keeps the queued mails to the member's own address. */
const unsentOf = (rows: readonly QueuedMail[], email: string | null): AccountExport['unsent_mails'] =>
  rows.flatMap(({ kind: queue, payload, status, created_at }) => {
    const { kind, recipient } = JSON.parse(payload) as { kind?: string; recipient?: { to: string } }
    if (queue === 'direct-mail' && (email === null || recipient?.to.toLowerCase() !== email)) return []
    return [
      { kind: kind ?? queue, queued_at: created_at, status: status === 'dead' ? 'given_up' : 'waiting' },
    ]
  })

const profileOf = ({
  content: _,
  password_hash,
  ...row
}: MemberRow & { readonly password_hash: string | null }): AccountExport['profile'] => ({
  ...row,
  email_verified: row.email_verified === 1,
  roles: JSON.parse(row.roles) as string[],
  has_password: password_hash !== null,
  created_by: makerOf(row.created_by),
})

const makerOf = (mark: string | null): 'person' | 'purchase' | 'import' =>
  mark === null ? 'person' : mark.startsWith('v1:') ? 'import' : 'purchase'

const withoutSecrets = (content: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(content).filter(([name]) => !/^(password|secret|token)/.test(name)))
