import { requireInstance } from './current.ts'
import type { Subscription } from './dto/index.ts'
import type { User } from './members/index.ts'
import type { Membership } from './membership.ts'
import type { PriceId } from './register.ts'

export type { AccountExport, Field } from './account/index.ts'
export { env } from './config/index.ts'
export * from './dto/index.ts'
export { type ErrorCode, errorStatus, isMembershipError, MembershipError } from './errors.ts'
export type { Hooks, UserStore } from './hooks/index.ts'
export type { Mail, MailKind, Transport } from './mails/index.ts'
export type { ProviderView, SubscriptionAction, User, Users, View } from './members/index.ts'
export { createMembership, type Membership } from './membership.ts'
export {
  type ConfigNote,
  type MigrateOptions,
  type Migration,
  migrateConfig,
  migrateSite,
  type Plan as MigrationPlan,
} from './migrate/index.ts'
export type { HostRequest, Identity, MembershipOptions } from './options.ts'
export type {
  Change,
  Delivery,
  Provider,
  ProviderContext,
  ProviderDefinition,
  ProviderEvent,
} from './providers/contract.ts'
export { defineProvider } from './providers/define.ts'
export {
  bodyScheme,
  type HmacScheme,
  signHmac,
  standardWebhooksScheme,
  timestampedScheme,
  verifyHmac,
} from './providers/signatures.ts'
export type { GateId, PriceId, Register } from './register.ts'
export type { Report, ReportsApi, ReportsOptions } from './reports/index.ts'

/** The instance of the running request, else the default one. @throws ERR_NOT_INSTALLED */
export const membership = (): Membership => requireInstance() as Membership

/** A member's subscriptions, best first; the current member's when none is given. */
export const subscriptions = (user?: User | null): readonly Subscription[] =>
  (user === undefined ? membership().user() : user)?.subscriptions() ?? []

/** The best subscription for a price, whoever the provider is, or null. */
export const subscriptionForPrice = (priceId: PriceId, user?: User | null): Subscription | null =>
  (user === undefined ? membership().user() : user)?.subscriptionForPrice(priceId) ?? null
