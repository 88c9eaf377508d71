import { z } from 'zod'
import { paymentSchema } from './payment.ts'
import { priceSchema } from './plan.ts'
import { isoTime } from './schema-parts.ts'
import { subscriptionSchema } from './subscription.ts'

/** The terms under which each price of a purchase was sold; absent while they are not stored. */
const sold = z
  .array(
    z.strictObject({
      price_id: z.string(),
      ...priceSchema.pick({
        plan: true,
        type: true,
        amount: true,
        currency: true,
        interval: true,
        interval_count: true,
        gives: true,
        adds: true,
      }).shape,
      /** The seats that the plan had; `quantity` where each paid piece was one. */
      seats: z.union([z.literal('quantity'), z.number().int()]).optional(),
      /** True if the purchase is older than the record of its terms. */
      assumed: z.literal(true).optional(),
      /** The first moment at which a subscription was seen with it, and the last one before another price. */
      seen_from: isoTime.optional(),
      seen_until: isoTime.optional(),
    }),
  )
  .optional()

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
  subscriptions: z.array(subscriptionSchema.extend({ sold })),
  payments: z.array(paymentSchema.extend({ sold })),
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
  /** Counts of limits, with the keys of single uses and what operators gave. */
  limits: z.strictObject({
    used: z.array(
      z.strictObject({
        name: z.string(),
        bucket: z.string(),
        used: z.number().int(),
        starts_at: z.string(),
        ends_at: z.string(),
        at: z.string(),
      }),
    ),
    keys: z.array(
      z.strictObject({
        name: z.string(),
        key: z.string(),
        amount: z.number().int(),
        taken_at: isoTime,
        released_at: isoTime.nullable(),
      }),
    ),
    credits: z.array(
      z.strictObject({
        name: z.string(),
        amount: z.number().int(),
        reason: z.string(),
        created_at: isoTime,
        expires_at: isoTime.nullable(),
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
      /** Their home, as far as a law asks: `california` or `elsewhere`; null if unknown. */
      place: z.string().nullable(),
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
  /** Proofs of the member's consent, of orders that are too old to be listed above. */
  consent_proofs: z.array(
    z.strictObject({
      email: z.string().nullable(),
      provider: z.string(),
      plan: z.string(),
      price_id: z.string(),
      quantity: z.number().int(),
      agreed_at: isoTime,
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
