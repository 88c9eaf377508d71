import type { Payment, Subscription } from '../../core/dto/index.ts'
import type { User } from '../members/index.ts'

/** Before something happens from this site. Answer `{ refuse: 'why' }` and it does not; the member reads the reason. */
export interface BeforeEvents {
  /** A subscription is about to be bought. */
  'subscription.started': Purchase
  /** Something that is paid once is about to be bought. */
  'payment.received': Purchase
  'subscription.changed': {
    member: User
    subscription: Subscription
    price_id: string
    quantity: number
    /** Minor units that will be charged at that moment; null when that is not known. */
    amount_due: number | null
    currency: string | null
    /** When it takes effect and is charged, ISO 8601 UTC: now, or the end of what is paid. */
    at: string
  }
  /** From the end of what is paid until another moment, ISO 8601 UTC. */
  'subscription.paused': { member: User; subscription: Subscription; from: string; until: string }
  'subscription.renewed': { member: User; subscription: Subscription }
  'subscription.canceled': { member: User; subscription: Subscription; when: 'period_end' | 'now' }
  /** An operator gives money back; `amount` in minor units, `member` null for a purchase that is nobody's yet. */
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

/** After it happened, whoever did it: the member here, the provider's portal, or time. */
export interface AfterEvents {
  /** A subscription began; a trial counts. */
  'subscription.started': Notified & { subscription: Subscription }
  /** Another price or quantity. */
  'subscription.changed': Notified & {
    subscription: Subscription
    before: { price_ids: readonly string[]; quantity: number | null }
  }
  /** A pause was agreed on, or began. `paused_at` and `resumes_at` say from when until when. */
  'subscription.paused': Notified & { subscription: Subscription }
  /** A new period was paid (`period`), or a cancellation or a pause was taken back (`kept`). */
  'subscription.renewed': Notified & { subscription: Subscription; reason: 'period' | 'kept' }
  /** A cancellation was scheduled, or took effect at once. */
  'subscription.canceled': Notified & { subscription: Subscription }
  /** A trial ends in `membership.mails.trial_days`, and its subscription is charged at that moment. */
  'trial.ending': Notified & { subscription: Subscription; charged_at: string }
  /** A period of a year or more ends in `membership.mails.renewal_days`, and the next one is charged then. */
  'renewal.upcoming': Notified & { subscription: Subscription; charged_at: string }
  /** Money arrived: a purchase, or the payment of a subscription's period. */
  'payment.received': Notified & { payment: Payment }
  /** A subscription's period could not be charged; the provider tries again. */
  'payment.failed': Notified & { subscription: Subscription }
  /** All of a payment was given back. */
  'payment.refunded': Notified & { payment: Payment }
  'member.created': Notified
  /** The member came by a purchase or a login link, not by the site's own code. */
  'member.signed_up': Notified
  /** Gates (plans and prices) that opened or closed for a member, for whatever reason; time is one. */
  'access.changed': Notified & { opened: readonly string[]; closed: readonly string[] }
}

/** The fields of every message to an after-hook. */
export interface Notified {
  /** The same at every delivery of this message: deliveries may repeat, ids tell. */
  readonly id: string
  /** When it was noticed, ISO 8601 UTC. */
  readonly at: string
  /** The member as of the delivery. */
  readonly member: User
  /** Aborted after a minute, or when the process ends: the message is delivered again then. */
  readonly signal: AbortSignal
}

/** A before-hook's no; the reason is shown to the member. */
export type Refusal = { readonly refuse: string }
/** Asked before something happens; anything but a refusal lets it happen. */
export type Before<E> = (event: E) => Answer | Promise<Answer>
/** A refusal, or nothing: then it happens. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that says nothing returns void
export type Answer = void | undefined | Refusal
/** Told after something happened; what it returns is awaited, and what it throws has it told again. */
export type After<E> = (event: E) => unknown
/** One hook, or several that are called in this order. */
export type OneOrMore<F> = F | readonly F[]

/** Hooks that are asked before something happens. */
export type BeforeHooks = { readonly [N in keyof BeforeEvents]?: OneOrMore<Before<BeforeEvents[N]>> }
/** Hooks that are told after something happened. */
export type AfterHooks = { readonly [N in keyof AfterEvents]?: OneOrMore<After<AfterEvents[N]>> }

/** The names that the original plugin had. They mean the same, and stay. */
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

/** The hooks under the names of the original plugin. */
export type AliasHooks = {
  readonly [N in keyof typeof beforeAliases]?: BeforeHooks[(typeof beforeAliases)[N]]
} & { readonly [N in keyof typeof afterAliases]?: AfterHooks[(typeof afterAliases)[N]] }

/**
 * A site's functions that are told after something happened, and asked `before` it under the same names. After-hooks
 * are delivered at least once, in order for each member, also after a restart; one that throws is tried again.
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
  'access.changed': true,
} as const satisfies Record<keyof AfterEvents, true>

/** The name of every hook that is told. */
export const afterHookNames: readonly string[] = Object.keys(afterNames)
/** The name of every hook that is asked. */
export const beforeHookNames: readonly string[] = [...new Set(Object.values(beforeAliases))]
/** The names of the original plugin. */
export const hookAliases: readonly string[] = Object.keys({ ...beforeAliases, ...afterAliases })

type Hook = (event: unknown) => unknown

/** A site's hooks by their names, each as a list: those under an old name stand after those under the new one. */
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
