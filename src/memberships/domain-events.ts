import type { Step } from '../core/storage/index.ts'
import type { Origin, PaidOnce, SettledIntent, SubscriptionPayment } from './ledger/index.ts'
import type { SwitchNotice } from './switching/index.ts'
import type { Unassigned } from './sync/index.ts'
import type { EndedTrial, Trials } from './trials/index.ts'

/** Domain events inside one unit of writing, by name, with the arguments that their subscribers get. */
export interface DomainEvents {
  'checkout.settled': [settled: SettledIntent, origin: Origin]
  /** A payment without a subscription was created or changed. */
  'payment.changed': [payment: PaidOnce, origin: Origin]
  /** A payment of a subscription is disputed now. */
  'payment.disputed': [dispute: SubscriptionPayment, origin: Origin]
  /** A subscription ended, or a payment arrived for one that had ended. */
  'subscription.ended': [ended: Omit<SubscriptionPayment, 'payment'>]
  'payer.changed': [change: Parameters<Trials['messagesOf']>[0], origin: Origin]
  'member.proved': [memberId: string]
  'grant.given': [memberId: string, grantId: string]
  'trial.ended': [trial: EndedTrial]
  'payment.unassigned': [payment: Unassigned]
  'switch.changed': [news: SwitchNotice]
}

type Subscriber<K extends keyof DomainEvents> = (...event: DomainEvents[K]) => readonly Step[]

export interface EventList {
  /** Adds a subscriber. Its steps follow those of earlier ones. */
  on<K extends keyof DomainEvents>(name: K, subscriber: Subscriber<K>): void
  /** The steps of all subscribers to this event. */
  stepsOf<K extends keyof DomainEvents>(name: K, ...event: DomainEvents[K]): readonly Step[]
}

/**
 * The one list of domain events. A service publishes an event and writes the steps of all subscribers in the
 * unit of the change. A mail or message therefore exists exactly when the change does.
 */
export function createDomainEvents(): EventList {
  const subscribers: { [K in keyof DomainEvents]?: Subscriber<K>[] } = {}

  function on<K extends keyof DomainEvents>(name: K, subscriber: Subscriber<K>): void {
    const known: Subscriber<K>[] = subscribers[name] ?? []
    subscribers[name] = [...known, subscriber] as (typeof subscribers)[K]
  }

  function stepsOf<K extends keyof DomainEvents>(name: K, ...event: DomainEvents[K]): readonly Step[] {
    const known: readonly Subscriber<K>[] = subscribers[name] ?? []
    return known.flatMap((subscriber) => subscriber(...event))
  }

  return { on, stepsOf }
}
