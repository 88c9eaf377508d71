import { msOf } from '../../core/dto/index.ts'
import type { Step } from '../../core/storage/index.ts'
import type { Change, CustomerChange, Ref } from '../../providers/contract.ts'
import type { Origin } from './history.ts'
import { fetchWindowMs } from './message-order.ts'
import type { Purchase } from './owner-facts.ts'

/** The plan for a message, while it is made. */
export interface Draft {
  readonly steps: Step[]
  /** The purchases whose owner is to be found. */
  readonly purchases: Purchase[]
  readonly customers: CustomerChange['data'][]
  /** The objects that the provider is asked for later, and when. */
  readonly asked: () => Iterable<{ readonly ref: Ref; readonly dueAt: string }>
  ask(ref: Ref, dueAt: string): void
  /** The same, late enough that the provider's answer is newer than both sides of the tie at that moment. */
  askAfterTie(ref: Ref, at: string): void
  /** Notes an object that a message merely mentions. */
  touch(ref: Ref, message: { readonly changes: readonly Change[]; readonly origin: Origin }): void
}

/** An empty one. An object that is asked for twice is asked for once, at the later moment. */
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
      // Asked at once, the message's own object would be answered as of before the message.
      const isOwn = changes.some((c) => c.type !== 'touch' && c.id === ref.id)
      ask(ref, later(now().toISOString(), isOwn ? afterTie(origin.at) : ''))
    },
  }
}

const later = (a: string, b: string): string => (a > b ? a : b)

const afterTie = (at: string): string => new Date(msOf(at) + fetchWindowMs).toISOString()
