import { z } from 'zod'
import { paymentSchema, subscriptionSchema } from '../../core/dto/index.ts'
import type { AfterEvents, OutgoingMember } from '../../memberships/hooks/index.ts'

const text = z.string()
const gates = z.array(text)
const member = z.object({
  id: text,
  email: text.nullable(),
  name: text.nullable(),
  gates: gates.describe('Open plans, as of the delivery.'),
  features: gates,
}) satisfies z.ZodType<OutgoingMember>
const limit = z.object({
  name: text,
  amount: z.number(),
  used: z.number(),
  left: z.number(),
  added: z.number(),
  resets_at: text.nullable(),
  source: text.nullable(),
})

/** The data of each outgoing event besides the member. */
const data: Readonly<Record<keyof AfterEvents, z.ZodRawShape>> = {
  'subscription.started': { subscription: subscriptionSchema },
  'subscription.changed': {
    subscription: subscriptionSchema,
    before: z.object({ price_ids: gates, quantity: z.number().nullable() }),
  },
  'subscription.paused': { subscription: subscriptionSchema },
  'subscription.renewed': { subscription: subscriptionSchema, reason: z.enum(['period', 'kept']) },
  'subscription.canceled': { subscription: subscriptionSchema },
  'trial.ending': { subscription: subscriptionSchema, charged_at: text },
  'renewal.upcoming': { subscription: subscriptionSchema, charged_at: text },
  'payment.received': { payment: paymentSchema },
  'payment.failed': { subscription: subscriptionSchema },
  'payment.refunded': { payment: paymentSchema },
  'member.created': {},
  'member.signed_up': {},
  'member.deleted': {},
  'access.changed': { opened: gates, closed: gates },
  'limit.near': { limit },
  'limit.reached': { limit },
}

/** The schema of each message that receivers of `membership.notify` get, by event. */
export const outgoingEventSchemas: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.entries(data).map(([name, shape]) => [
    name,
    z.object({
      version: z.literal(1),
      type: z.literal(name),
      timestamp: text.describe('When the change was noticed, ISO 8601 UTC.'),
      data: z.looseObject({ member, ...shape }),
    }),
  ]),
)
