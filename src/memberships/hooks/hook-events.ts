import type { Payment, Subscription } from '../../core/dto/index.ts'
import type { User } from '../members/index.ts'

/** Before something happens. Answer `{ refuse: 'why' }` and it does not; the reason is shown to the member. */
export interface BeforeEvents {
  'membership.payment:before': {
    member: User | null
    price_id: string
    plan: string
    quantity: number
    currency: string | null
  }
  'membership.subscribe:before': BeforeEvents['membership.payment:before']
  'membership.change:before': {
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
  'membership.pause:before': { member: User; subscription: Subscription; from: string; until: string }
  'membership.renew:before': { member: User; subscription: Subscription }
  'membership.cancel:before': { member: User; subscription: Subscription; when: 'period_end' | 'now' }
  /** An operator gives money back; `amount` in minor units, `member` null for a purchase that is nobody's yet. */
  'membership.refund:before': { member: User | null; payment: Payment; amount: number }
}

/** After it happened, whoever did it: the member here, the provider's portal, or time. */
export interface AfterEvents {
  /** Money arrived: a purchase, or the payment of a subscription's period. */
  'membership.payment:after': Told & { payment: Payment }
  /** A subscription began; a trial counts. */
  'membership.subscribe:after': Told & { subscription: Subscription }
  /** Another price or quantity. */
  'membership.change:after': Told & {
    subscription: Subscription
    before: { price_ids: readonly string[]; quantity: number | null }
  }
  /** A pause was agreed on, or began; by whatever way. `paused_at` and `resumes_at` say from when until when. */
  'membership.pause:after': Told & { subscription: Subscription }
  /** A new period was paid (`period`), or a cancellation or a pause was taken back (`kept`). */
  'membership.renew:after': Told & { subscription: Subscription; reason: 'period' | 'kept' }
  /** A cancellation was scheduled, or took effect at once. */
  'membership.cancel:after': Told & { subscription: Subscription }
  /** All of a payment was given back, by whatever way. */
  'membership.refund:after': Told & { payment: Payment }
  'member.created': Told
  /** The member came by a purchase or a login link, not by the site's own code. */
  signup: Told
  /** Gates (plans and prices) that opened or closed for a member, for whatever reason; time is one. */
  'access.changed': Told & { opened: readonly string[]; closed: readonly string[] }
}

/** The fields of every message to an after-hook. */
interface Told {
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
type Before<E> = (event: E) => Answer | Promise<Answer>
/** A refusal, or nothing: then it happens. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that says nothing returns void
type Answer = void | undefined | Refusal
/** Told after something happened; what it returns is awaited, and what it throws has it told again. */
type After<E> = (event: E) => unknown
/** One hook, or several that are called in this order. */
type OneOrMore<F> = F | readonly F[]

/**
 * A site's functions that are asked before a change and told after it. After-hooks are delivered at least once, in
 * order for each member, also after a restart; one that throws is tried again.
 */
export type Hooks = {
  readonly [N in keyof BeforeEvents]?: OneOrMore<Before<BeforeEvents[N]>>
} & {
  readonly [N in keyof AfterEvents]?: OneOrMore<After<AfterEvents[N]>>
}

const known = {
  'membership.payment:before': true,
  'membership.subscribe:before': true,
  'membership.change:before': true,
  'membership.pause:before': true,
  'membership.renew:before': true,
  'membership.cancel:before': true,
  'membership.refund:before': true,
  'membership.payment:after': true,
  'membership.subscribe:after': true,
  'membership.change:after': true,
  'membership.pause:after': true,
  'membership.renew:after': true,
  'membership.cancel:after': true,
  'membership.refund:after': true,
  'member.created': true,
  signup: true,
  'access.changed': true,
} as const satisfies Record<keyof Hooks, true>

/** The name of every hook. */
export const hookNames: readonly string[] = Object.keys(known)
