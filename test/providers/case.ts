import type { SubscriptionData } from '../../src/core/dto/index.ts'
import type {
  Change,
  CustomerChange,
  MoneyFact,
  MoneyKind,
  PaymentPart,
  Place,
  ProviderDefinition,
  Ref,
  Stage,
} from '../../src/providers/contract.ts'

/** What one message must say: fields that are not named are not looked at, but `type`, `id`, `kind` and `stage`. */
export type Expected =
  | {
      type: 'subscription'
      id: string
      stage: Stage
      data: Partial<SubscriptionData>
      /** The payer's address, where the message has it and no other message tells it; looked at where it is named. */
      contact?: { readonly email: string | null; readonly name: string | null; readonly place?: Place }
    }
  | { type: 'customer'; id: string; stage: Stage; data: CustomerChange['data'] }
  | { type: 'money'; kind: MoneyKind; part?: PaymentPart; id: string; stage: Stage; data: Partial<MoneyFact> }
  | { type: 'touch'; ref: Ref }

/**
 * One member's life as the provider's own messages tell it; a step is what is sent when it happens, the first
 * time in the provider's own order. Its moments are around 2026-03-01.
 */
export interface Story {
  readonly email: string
  /** What the subscription is sold at. */
  readonly plan: string
  /** What is bought once. */
  readonly book: string
  readonly subscribes: readonly unknown[]
  /** The subscription is cancelled and paid for until 2026-04-01. */
  readonly cancels: readonly unknown[]
  readonly ends: readonly unknown[]
  readonly buys: readonly unknown[]
  /** What was bought once is given back in full. */
  readonly refunds: readonly unknown[]
}

/** What the tests of every provider are given of one. */
export interface ProviderCase {
  readonly definition: ProviderDefinition
  readonly secret: string
  readonly options?: Readonly<Record<string, unknown>>
  /** What the site says it sells, where the provider's messages need that. */
  readonly plans?: Readonly<Record<string, unknown>>
  /** Whole messages, written from the provider's documentation. */
  readonly events: readonly unknown[]
  readonly story: Story
  /** What public payloads do not show: a sentence, the message, and what it says by the documentation. */
  readonly told?: readonly (readonly [title: string, message: unknown, wanted: readonly Expected[]])[]
  /** Messages and the mode that each says: true live, false test, null none. */
  readonly modes?: readonly (readonly [message: unknown, livemode: boolean | null])[]
  /** Public payloads that are no messages, as they would come in one. */
  readonly delivered?: (file: string, payload: unknown) => unknown
  /** By the names of public payloads: what each says, worked out by hand from the payload and the documentation. */
  readonly expected: Readonly<Record<string, readonly Expected[]>>
  /** What a subscription is paid with names no customer: it stands beside the member's payments. */
  readonly isSubscriberUnnamed?: true
  /** The headers of a delivery, where no secret is enough to make one. */
  sign?(body: Buffer, secret: string, now: Date): Record<string, string>
  /** Which public payloads are no messages, but answers of its API: they are refused. */
  isNoEvent?(file: string): boolean
}

/** The change as far as the expectation goes, so that one assertion shows all that differs. */
export function seenOf(change: Change, wanted: Expected | undefined): unknown {
  if (wanted === undefined || change.type === 'touch' || wanted.type === 'touch') return change
  const { data, ...head } = change
  const { before: _b, at: _a, contact, ...named } = { before: null, at: null, contact: null, ...head }
  const said = Object.fromEntries(
    Object.entries(wanted.data).map(([key, value]) => [key, shownAs(data[key as keyof typeof data], value)]),
  )
  return { ...named, data: said, ...('contact' in wanted ? { contact } : {}) }
}

/** The moment of payment that an event adds where its object is much older. */
export function paidOn(id: string, paid_at: string): Expected {
  return {
    type: 'money',
    kind: 'link',
    id: `paid_${id}`,
    stage: 'updated',
    data: { refs: [{ kind: 'payment', id }], paid_at, state: 'pending' },
  }
}

/** A list of items with the fields that the expectation names. */
export function shownAs(seen: unknown, wanted: unknown): unknown {
  return Array.isArray(seen) && Array.isArray(wanted)
    ? seen.map((item: unknown, n) => {
        const names = Object.keys((wanted as object[])[n] ?? {})
        return typeof item === 'object' && item !== null && names.length > 0
          ? Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)))
          : item
      })
    : seen
}
