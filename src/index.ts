/**
 * The names that a site imports: `createMembership()` makes the instance, `membership()` asks it.
 * @module membership
 */

import type { Subscription } from './core/dto/index.ts'
import type { Named, Names, PriceId } from './core/register.ts'
import type { PriceKeys, SitePlanKeys } from './generated/configuration-keys.ts'
import type { SubscriptionFilter, User } from './memberships/members/index.ts'
import type { MigrateOptions, Migration } from './migrate/index.ts'
import { requireInstance } from './site/current.ts'
import type { Membership } from './site/membership.ts'

export type {
  ClosedCode,
  ClosedReason,
  Decision,
  Grant,
  Ground,
  Limit,
  LimitRefusal,
  PaidTime,
  Wall,
} from './core/access/index.ts'
export { env } from './core/config/index.ts'
export type { AccountExport } from './core/dto/account-export.ts'
export type {
  Checkout,
  Customer,
  Invoice,
  InvoicePreview,
  Money,
  NamedPlan,
  Payment,
  PaymentStatus,
  Plan,
  PlanLimit,
  Price,
  ScheduledChange,
  Subscription,
  SubscriptionStatus,
} from './core/dto/index.ts'
export {
  bestForPrice,
  currencyDigits,
  endsAt,
  formatDay,
  formatMoney,
  hasPrice,
  isActive,
  isEnded,
  isOnGracePeriod,
  isOnTrial,
  isPaid,
  isPastDue,
  isPaused,
  paidUntil,
  paymentHasPrice,
  toPayment,
  toSubscription,
} from './core/dto/index.ts'
export {
  type ErrorCode,
  type ErrorDetails,
  errorStatus,
  isMembershipError,
  MembershipError,
  type RefusalReason,
} from './core/errors.ts'
export { type Drain, drain } from './core/http/drain.ts'
export type { Moment } from './core/moment.ts'
export type {
  FeatureId,
  FieldName,
  GateId,
  LimitId,
  PlanId,
  PriceId,
  ProviderKey,
  Register,
  RegisterOf,
} from './core/register.ts'
export { sqliteDriver, sqliteFallback } from './core/storage/index.ts'
export type {
  CheckoutContext,
  DottedKeys,
  NestedKeys,
  PackageProviders,
  PlanKeys,
  PriceKeys,
  ProviderKeys,
  ProviderName,
} from './generated/configuration-keys.ts'
export type { Field } from './memberships/account/index.ts'
export type { AfterHooks, BeforeHooks, Hooks, UserStore } from './memberships/hooks/index.ts'
export {
  type Mail,
  type MailKind,
  type SmtpOptions,
  smtp,
  type Transport,
} from './memberships/mails/index.ts'
export type {
  Guard,
  GuardResult,
  ProviderData,
  ProviderView,
  SubscriptionAction,
  User,
  Users,
  View,
} from './memberships/members/index.ts'
export { type ConfigNote, migrateConfig } from './migrate/config/data.ts'
export type { MigrateOptions, Migration, Plan as MigrationPlan } from './migrate/index.ts'
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
export type { AfterEvents, Alert, Log, Raise } from './public-types.ts'
export type { Report, ReportsApi, ReportsOptions } from './reports/index.ts'
export type { IdentifyInput } from './site/identify-input.ts'
export { createMembership } from './site/membership.ts'
export type { Membership } from './site/membership-api.ts'
export type { HostRequest, Identify, Identity, MembershipOptions } from './site/options.ts'

/** Plans as `definePlans` takes them: with their features, limits and prices as names. */
export interface NamedPlanKeys<Feature extends string, Limit extends string, Price extends string>
  extends Omit<SitePlanKeys, 'opens' | 'limits' | 'prices' | 'retired'> {
  /** The features that it opens. */
  readonly opens?: readonly Feature[]
  /** Limit → the amount that the plan includes of it, such as `{ amount: 100, every: 'month' }`. */
  readonly limits?: Readonly<Record<Limit, NonNullable<SitePlanKeys['limits']>[string]>>
  /** Price ids, or prices in full; a list, or lists by provider. */
  readonly prices?:
    | readonly (Price | NamedPriceKeys<Price | Readonly<Record<string, Price>>>)[]
    | Readonly<Record<string, readonly (Price | NamedPriceKeys<Price>)[]>>
  /** Ids of prices that still open access and are no longer sold; a list, or lists by provider. */
  readonly retired?: readonly Price[] | Readonly<Record<string, readonly Price[]>>
}
/** A price in full, by its id or by its ids at several providers. */
export interface NamedPriceKeys<Id> extends Omit<PriceKeys, 'id'> {
  /** The provider’s id of the price, or its look-up key. */
  readonly id: Id
}

/**
 * Returns the plans as they are, with their names for the compiler: given to `createMembership` as `membership.plans`,
 * `m.allows('exprot')` does not compile.
 */
export function definePlans<
  const Plan extends string,
  const Feature extends string = never,
  const Limit extends string = never,
  const Price extends string = never,
>(
  plans: Readonly<Record<Plan, NamedPlanKeys<Feature, Limit, Price>>>,
): Readonly<Record<Plan, SitePlanKeys>> &
  Named<NamesOfPlans<NoInfer<Plan>, NoInfer<Feature>, NoInfer<Limit>, NoInfer<Price>>> {
  return plans
}
/** The names of plans that `definePlans` was given. */
export interface NamesOfPlans<
  Plan extends string,
  Feature extends string,
  Limit extends string,
  Price extends string,
> extends Names {
  readonly gates: Plan | Feature | Price
  readonly plans: Plan
  readonly features: Feature
  readonly limits: Limit
  readonly prices: Price
}

/** The instance of the running request, else the default one. @throws ERR_NOT_INSTALLED */
export function membership(): Membership {
  return requireInstance() as Membership
}

/**
 * A member's subscriptions, best first, ended ones included; the current member's when none is given. With `price`, those
 * that have it: `subscriptions({ price })`, `subscriptions(user, { price })`.
 */
export function subscriptions(which: SubscriptionFilter): readonly Subscription[]
export function subscriptions(user?: User | null, which?: SubscriptionFilter): readonly Subscription[]
export function subscriptions(
  who?: User | SubscriptionFilter | null,
  which?: SubscriptionFilter,
): readonly Subscription[] {
  const isUser = who === undefined || who === null || 'subscriptions' in who
  if (!isUser) return membership().user()?.subscriptions(who) ?? []
  return (who === undefined ? membership().user() : who)?.subscriptions(which) ?? []
}

/**
 * The best subscription that opens a price now, whoever the provider is, or the one whose first payment is pending; else
 * null.
 */
export function subscriptionForPrice(priceId: PriceId, user?: User | null): Subscription | null {
  return (user === undefined ? membership().user() : user)?.subscriptionForPrice(priceId) ?? null
}

/**
 * Plans the way of a v1 site to v2, and with `write` goes it. Without, nothing is changed. Nothing of the site is
 * executed. With `rollback` what was written is taken back.
 * @throws ERR_USAGE for a folder or an option that cannot be, ERR_STORAGE when something cannot be written
 */
// What reads version 1 is loaded with the first migration: a site that runs needs none of it.
export async function migrateSite(folder: string, options?: MigrateOptions): Promise<Migration> {
  return (await import('./migrate/index.ts')).migrateSite(folder, options)
}
