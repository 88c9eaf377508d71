import type { Limit } from '../../core/access/index.ts'
import type { Payment, Subscription } from '../../core/dto/index.ts'
import type { User } from '../members/index.ts'

/** Runs before this site changes something. Answer `{ refuse: 'why' }` to stop it; the member reads the reason. */
export interface BeforeEvents {
  /** A subscription is about to be bought. */
  'subscription.started': Purchase
  /** A one-time purchase is about to be made. */
  'payment.received': Purchase
  'subscription.changed': {
    member: User
    subscription: Subscription
    price_id: string
    quantity: number
    /** Minor units that will be charged at that moment; null when the amount is unknown. */
    amount_due: number | null
    currency: string | null
    /** When the change takes effect and is charged, ISO 8601 UTC: now, or the end of the paid period. */
    at: string
  }
  /** The pause runs from the end of the paid period until `until`, ISO 8601 UTC. */
  'subscription.paused': { member: User; subscription: Subscription; from: string; until: string }
  'subscription.renewed': { member: User; subscription: Subscription }
  'subscription.canceled': { member: User; subscription: Subscription; when: 'period_end' | 'now' }
  /** An operator refunds a payment. `amount` is in minor units; `member` is null for a purchase without an owner. */
  'payment.refunded': { member: User | null; payment: Payment; amount: number }
}

/** A purchase that is about to begin; `member` is null for a visitor who is not logged in. */
export interface Purchase {
  member: User | null
  price_id: string
  plan: string
  quantity: number
  currency: string | null
}

/** Runs after a change, whether the member made it here, in the provider's portal, or time did. */
export interface AfterEvents {
  /** A subscription began. A trial counts, too. */
  'subscription.started': Notified & { subscription: Subscription }
  /** The price or the quantity changed. */
  'subscription.changed': Notified & {
    subscription: Subscription
    before: { price_ids: readonly string[]; quantity: number | null }
  }
  /** A pause was scheduled, or began. `paused_at` and `resumes_at` give its start and end. */
  'subscription.paused': Notified & { subscription: Subscription }
  /** A new period was paid (`period`), or a cancellation or a pause was undone (`kept`). */
  'subscription.renewed': Notified & { subscription: Subscription; reason: 'period' | 'kept' }
  /** A cancellation was scheduled, or took effect at once. */
  'subscription.canceled': Notified & { subscription: Subscription }
  /** A trial ends in `membership.mails.trial_days`, and its subscription is charged at that moment. */
  'trial.ending': Notified & { subscription: Subscription; charged_at: string }
  /** A period of a year or more ends in `membership.mails.renewal_days`, and the next one is charged at that moment. */
  'renewal.upcoming': Notified & { subscription: Subscription; charged_at: string }
  /** A payment arrived, for a purchase or for a period of a subscription. */
  'payment.received': Notified & { payment: Payment }
  /** A subscription's period could not be charged. The provider retries. */
  'payment.failed': Notified & { subscription: Subscription }
  /** A payment was refunded in full. */
  'payment.refunded': Notified & { payment: Payment }
  'member.created': Notified
  /** A purchase or a login link created the member, not the site's own code. */
  'member.signed_up': Notified
  /** The account was deleted. `member` has the id and the last address, and nothing else. */
  'member.deleted': Notified
  /**
   * Gates (plans and prices) opened or closed for a member, for any reason, the passing of time included. Everything
   * closes for an account that is deleted, or merged into another. `member` is then that account, and opens nothing.
   */
  'access.changed': Notified & { opened: readonly string[]; closed: readonly string[] }
  /** Little is left of a counted allowance: a fifth or less. Once for each count. */
  'limit.near': Notified & { limit: Limit }
  /** Nothing is left of it. Once for each count. */
  'limit.reached': Notified & { limit: Limit }
}

/** The fields of every after-hook event. */
export interface Notified {
  /** Stays the same at every delivery of this message. Deliveries may repeat, so compare ids. */
  readonly id: string
  /** When the change was noticed, ISO 8601 UTC. */
  readonly at: string
  /** The member at the moment of delivery. */
  readonly member: User
  /** Aborts after a minute, or when the process ends. The message is then delivered again. */
  readonly signal: AbortSignal
}

/** A before-hook's refusal. The member reads the reason. */
export type Refusal = { readonly refuse: string }
/** Asked before a change. Any answer except a refusal lets it proceed. */
export type Before<E> = (event: E) => Answer | Promise<Answer>
/** A refusal, or nothing to let the change proceed. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that says nothing returns void
export type Answer = void | undefined | Refusal
/** Notified after a change. Its result is awaited; when it throws, the message is delivered again. */
export type After<E> = (event: E) => unknown
/** One hook, or several that are called in the given order. */
export type OneOrMore<F> = F | readonly F[]

export type BeforeHooks = { readonly [N in keyof BeforeEvents]?: OneOrMore<Before<BeforeEvents[N]>> }
export type AfterHooks = { readonly [N in keyof AfterEvents]?: OneOrMore<After<AfterEvents[N]>> }

/** Hook names of the original plugin. They keep their meaning. */
export const beforeAliases = {
  'membership.payment:before': 'payment.received',
  'membership.subscribe:before': 'subscription.started',
  'membership.change:before': 'subscription.changed',
  'membership.pause:before': 'subscription.paused',
  'membership.renew:before': 'subscription.renewed',
  'membership.cancel:before': 'subscription.canceled',
  'membership.refund:before': 'payment.refunded',
} as const satisfies Record<string, keyof BeforeEvents>

export const afterAliases = {
  'membership.payment:after': 'payment.received',
  'membership.subscribe:after': 'subscription.started',
  'membership.change:after': 'subscription.changed',
  'membership.pause:after': 'subscription.paused',
  'membership.renew:after': 'subscription.renewed',
  'membership.cancel:after': 'subscription.canceled',
  'membership.refund:after': 'payment.refunded',
  signup: 'member.signed_up',
} as const satisfies Record<string, keyof AfterEvents>

/** The hooks under the original plugin's names. */
export type AliasHooks = {
  readonly [N in keyof typeof beforeAliases]?: BeforeHooks[(typeof beforeAliases)[N]]
} & { readonly [N in keyof typeof afterAliases]?: AfterHooks[(typeof afterAliases)[N]] }

/**
 * A site's hooks: notified after a change, or asked first under `before` with the same names. After-hooks are delivered
 * at least once and in order for each member, also after a restart. A hook that throws is retried.
 */
export type Hooks = AfterHooks & AliasHooks & { readonly before?: BeforeHooks }

const afterNames = {
  'subscription.started': true,
  'subscription.changed': true,
  'subscription.paused': true,
  'subscription.renewed': true,
  'subscription.canceled': true,
  'trial.ending': true,
  'renewal.upcoming': true,
  'payment.received': true,
  'payment.failed': true,
  'payment.refunded': true,
  'member.created': true,
  'member.signed_up': true,
  'member.deleted': true,
  'access.changed': true,
  'limit.near': true,
  'limit.reached': true,
} as const satisfies Record<keyof AfterEvents, true>

/** The name of every after-hook. */
export const afterHookNames: readonly string[] = Object.keys(afterNames)
/** The name of every before-hook. */
export const beforeHookNames: readonly string[] = [...new Set(Object.values(beforeAliases))]
/** Hook names of the original plugin. */
export const hookAliases: readonly string[] = Object.keys({ ...beforeAliases, ...afterAliases })

type Hook = (event: unknown) => unknown

/** Lists a site's hooks by name. Hooks under an old name come after those under the new name. */
export function hooksByName(hooks: Hooks) {
  const listed = (given: object, aliases: Readonly<Record<string, string>>) => (name: string) => [
    ...listOf(given, name),
    ...Object.keys(aliases).flatMap((alias) => (aliases[alias] === name ? listOf(hooks, alias) : [])),
  ]
  return { before: listed(hooks.before ?? {}, beforeAliases), after: listed(hooks, afterAliases) }
}

function listOf(hooks: object, name: string): readonly Hook[] {
  const given = (hooks as Record<string, Hook | readonly Hook[] | undefined>)[name]
  return [given ?? []].flat() as readonly Hook[]
}
