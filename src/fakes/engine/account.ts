import type { Ground } from './fake-server.ts'
import type { AnyObject, Kind, Subscription } from './objects.ts'
import type { FakeServerOptions } from './options.ts'
import { createStamps } from './stamps.ts'
import { createStore } from './store.ts'
import { createWorld, type Fact, type Settings, type World } from './world.ts'

/** State that most fake servers keep of one account. */
export interface OpenedAccount<T> {
  readonly world: World
  readonly url: string
  /** When an object was made, and when the newest of some last changed, as the provider writes moments. */
  readonly madeAt: (id: string) => T
  readonly changedAt: (...ids: readonly (string | null | undefined)[]) => T
  /** The older first. */
  readonly byAge: (a: string, b: string) => number
  /** It counts as changed now. */
  touch(id: string): void
  /** Subscriptions that the provider shows: before it is paid, some show none. */
  readonly announced: Set<string>
  listSubscriptions(): Subscription[]
  /** Sends a message. */
  send(id: string, type: string, event: object): void
}

/** Hears of a fact, and makes the provider's messages of it. */
export type TellFact<A> = (account: A, fact: Fact, object: AnyObject, before?: AnyObject) => void

/** An account in which nothing has happened. */
export const openAccount = <T extends string | number>(
  { url, clock, messages }: Ground,
  given: {
    readonly settings: Settings
    readonly idFor: (kind: Kind | 'item' | 'line') => string
    /** A moment for a change, given the one of the object's change before; and what stands for none. */
    readonly next: (last: T | undefined) => T
    readonly never: T
    readonly tell: World['tell']
  },
): OpenedAccount<T> => {
  const { settings, idFor, tell } = given
  const store = createStore()
  const announced = new Set<string>()
  return {
    world: createWorld({ settings, clock, store, idFor, tell }),
    url,
    ...createStamps(store, given.never, given.next),
    announced,
    listSubscriptions: () => store.list('subscription').filter(({ id }) => announced.has(id)),
    send: (id, type, event) =>
      messages.append({ id, type, created: clock.seconds(), body: JSON.stringify(event) }),
  }
}

/** A fake server that bills a renewal at once, and tries again what was refused on these days. */
export const settingsOf = (
  { dunning = {}, tax }: FakeServerOptions,
  retryDays: readonly number[],
  outcome: Settings['dunning']['outcome'] = 'cancel',
): Settings => ({
  draftSeconds: 0,
  tax: tax ?? null,
  dunning: { retryDays: dunning.retryDays ?? retryDays, outcome: dunning.outcome ?? outcome },
})
