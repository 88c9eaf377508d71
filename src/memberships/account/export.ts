import { z } from 'zod'
import {
  isoTime,
  type PaymentData,
  paymentSchema,
  type SubscriptionData,
  subscriptionSchema,
} from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { User } from '../members/index.ts'
import { type MemberRow, memberStatements } from '../members/statements.ts'
import { mergeStatements } from '../merging/statements.ts'
import { type GiftRow, giftStatements } from '../offers/gift-statements.ts'
import { groupStatements } from '../offers/group-statements.ts'
import { deletionStatements } from './deletion-statements.ts'
import { exportStatements } from './export-statements.ts'

/** Everything stored about one member as plain JSON, for the right of access to one's data. */
export const accountExportSchema = z.strictObject({
  format: z.literal('membership-account'),
  version: z.literal(1),
  exported_at: isoTime,
  profile: z.strictObject({
    id: z.string(),
    email: z.string().nullable(),
    email_verified: z.boolean(),
    name: z.string().nullable(),
    language: z.string().nullable(),
    roles: z.array(z.string()),
    /** True if an imported password hash is stored. The hash itself is never exported. */
    has_password: z.boolean(),
    /** The creator of the account: the person, a purchase, or an import from version 1. */
    created_by: z.enum(['person', 'purchase', 'import']),
    created_at: isoTime,
    updated_at: isoTime,
  }),
  /** Every field of the account, including those that its page does not show. */
  fields: z.record(z.string(), z.unknown()),
  subscriptions: z.array(subscriptionSchema),
  payments: z.array(paymentSchema),
  /** Access given by hand, revoked or not. */
  grants: z.array(
    z.strictObject({
      gate: z.string(),
      source: z.string(),
      reason: z.string().nullable(),
      starts_at: isoTime.nullable(),
      expires_at: isoTime.nullable(),
      created_at: isoTime,
      revoked_at: isoTime.nullable(),
    }),
  ),
  /** Seats of groups that others pay for. */
  seats: z.array(
    z.strictObject({
      id: z.string(),
      role: z.string(),
      status: z.string(),
      created_at: isoTime,
      joined_at: isoTime.nullable(),
      ended_at: isoTime.nullable(),
    }),
  ),
  /** Gifts that the member bought for others, and those that are their own; never their codes. */
  gifts: z.array(
    z.strictObject({
      id: z.string(),
      role: z.enum(['buyer', 'owner']),
      status: z.string(),
      plan: z.string(),
      months: z.number().int(),
      to: z.string().nullable(),
      message: z.string().nullable(),
      created_at: isoTime,
      sent_at: isoTime.nullable(),
      redeemed_at: isoTime.nullable(),
      closed_at: isoTime.nullable(),
    }),
  ),
  /** What was counted: by limit and count, the keys of single uses, and what operators gave. */
  limits: z.strictObject({
    used: z.array(
      z.strictObject({
        ...{ name: z.string(), bucket: z.string(), used: z.number().int() },
        ...{ starts_at: z.string(), ends_at: z.string(), at: z.string() },
      }),
    ),
    keys: z.array(
      z.strictObject({
        ...{ name: z.string(), key: z.string(), amount: z.number().int() },
        ...{ taken_at: isoTime, released_at: isoTime.nullable() },
      }),
    ),
    credits: z.array(
      z.strictObject({
        ...{ name: z.string(), amount: z.number().int(), reason: z.string() },
        ...{ created_at: isoTime, expires_at: isoTime.nullable() },
      }),
    ),
  }),
  /** Free pages behind metered gates: how many were opened in each period, not which. */
  free_pages: z.array(
    z.strictObject({ wall: z.string(), used: z.number().int(), starts_at: isoTime, ends_at: isoTime }),
  ),
  /** The member's own addresses of feeds, without the token that opens them. */
  feeds: z.array(z.strictObject({ path: z.string(), created_at: isoTime })),
  sessions: z.array(
    z.strictObject({
      verified: z.boolean(),
      created_at: isoTime,
      expires_at: isoTime,
      revoked_at: isoTime.nullable(),
    }),
  ),
  /** The member's customers at each provider. `guest`: a purchase without a customer. */
  customers: z.array(
    z.strictObject({
      provider: z.string(),
      account: z.string(),
      customer_id: z.string(),
      guest: z.boolean(),
      email: z.string().nullable(),
      name: z.string().nullable(),
      deleted: z.boolean(),
    }),
  ),
  checkouts: z.array(
    z.strictObject({
      provider: z.string(),
      mode: z.string(),
      plan: z.string(),
      price_id: z.string(),
      quantity: z.number().int(),
      status: z.string(),
      redirect: z.string(),
      created_at: isoTime,
      expires_at: isoTime,
      settled_at: isoTime.nullable(),
      /** The exact text of the consent. */
      consent: z.unknown(),
    }),
  ),
  /** Accounts of the same person merged into this one. */
  merged_accounts: z.array(z.strictObject({ id: z.string(), email: z.string().nullable() })),
  /** Operators' actions on the account. */
  audit_log: z.array(
    z.strictObject({
      at: isoTime,
      action: z.string(),
      subject: z.string().nullable(),
      before: z.unknown(),
      after: z.unknown(),
      outcome: z.string(),
    }),
  ),
  /** Cancellations and withdrawals declared on a public page with the member's address. */
  declarations: z.array(
    z.strictObject({
      id: z.string(),
      kind: z.string(),
      nature: z.string().nullable(),
      reason: z.string().nullable(),
      ends_on: z.string().nullable(),
      name: z.string().nullable(),
      contract: z.string().nullable(),
      email: z.string().nullable(),
      received_at: isoTime,
      due_on: z.string(),
      status: z.string(),
      subscription_id: z.string().nullable(),
      done_at: isoTime.nullable(),
    }),
  ),
  /** Sent mails. Their text is not stored. */
  mails: z.array(z.strictObject({ kind: z.string(), sent_at: isoTime })),
  /** Mails that wait or could not be delivered. */
  unsent_mails: z.array(
    z.strictObject({ kind: z.string(), queued_at: isoTime, status: z.enum(['waiting', 'given_up']) }),
  ),
  /** When the member turned off optional mails. */
  mails_off_at: isoTime.nullable(),
  /** The requested deletion of the account, or null. */
  deletion: z.strictObject({ requested_at: isoTime, done_at: isoTime.nullable() }).nullable(),
})
/** The export that {@link accountExportSchema} accepts: JSON with moments in ISO 8601 UTC. */
export type AccountExport = z.infer<typeof accountExportSchema>

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
