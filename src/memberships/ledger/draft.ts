import { msOf } from '../../core/dto/index.ts'
import type { Step } from '../../core/storage/index.ts'
import type { Change, CustomerChange, Ref } from '../../providers/contract.ts'
import type { Origin } from './history.ts'
import { fetchWindowMs } from './message-order.ts'
import type { Purchase } from './owner-facts.ts'

/** The plan for one event while it is being built. */
export interface Draft {
  readonly steps: Step[]
  /** The purchases that still need an owner. */
  readonly purchases: Purchase[]
  readonly customers: CustomerChange['data'][]
  /** The objects to fetch from the provider, and when. */
  readonly asked: () => Iterable<{ readonly ref: Ref; readonly dueAt: string }>
  ask(ref: Ref, dueAt: string): void
  /** Fetches late enough that the provider's answer is newer than both sides of a tie at that moment. */
  askAfterTie(ref: Ref, at: string): void
  /** Queues a fetch of an object that an event merely mentions. */
  touch(ref: Ref, message: { readonly changes: readonly Change[]; readonly origin: Origin }): void
}

/** Creates an empty draft. An object asked for twice is fetched once, at the later moment. */
export const createDraft = (now: () => Date): Draft => {
  const fetches = new Map<string, { ref: Ref; dueAt: string }>()
  const ask: Draft['ask'] = (ref, dueAt) => {
    const key = `${ref.kind}:${ref.id}`
    fetches.set(key, { ref, dueAt: later(dueAt, fetches.get(key)?.dueAt ?? '') })
  }
  return {
    steps: [],
    purchases: [],
    customers: [],
    asked: () => fetches.values(),
    ask,
    askAfterTie: (ref, at) => ask(ref, afterTie(at)),
    touch: (ref, { changes, origin }) => {
      // A fetch at once could return the event's own object in its state before the event.
      const isOwn = changes.some((c) => c.type !== 'touch' && c.id === ref.id)
      ask(ref, later(now().toISOString(), isOwn ? afterTie(origin.at) : ''))
    },
  }
}

const later = (a: string, b: string): string => (a > b ? a : b)

const afterTie = (at: string): string => new Date(msOf(at) + fetchWindowMs).toISOString()
