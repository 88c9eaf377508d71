import type { ServerContext } from './fake-server.ts'
import type { AnyObject, Checkout, Kind, Subscription } from './objects.ts'
import type { FakeServerOptions } from './options.ts'
import { trackSet } from './replica.ts'
import { createStamps } from './stamps.ts'
import { createStore, type Store } from './store.ts'
import { createWorld, type Fact, type Settings, type World } from './world.ts'

/** State that most fake servers keep of one account. */
export interface OpenedAccount<T> {
  readonly world: World
  readonly url: string
  /** Return when an object was created, and when the newest of several changed, in the provider's format. */
  readonly madeAt: (id: string) => T
  readonly changedAt: (...ids: readonly (string | null | undefined)[]) => T
  /** Sorts the older one first. */
  readonly byAge: (a: string, b: string) => number
  /** Marks an object as changed now. */
  touch(id: string): void
  /** Subscriptions that the provider shows; some providers hide one until it is paid. */
  readonly announced: Set<string>
  listSubscriptions(): Subscription[]
  /** Finds one of them. */
  findSubscription(id: string): Subscription | undefined
  /** Sends an event. */
  send(id: string, type: string, event: object): void
}

/** Receives a fact, and creates the provider's events. */
export type TellFact<A> = (account: A, fact: Fact, object: AnyObject, before?: AnyObject) => void

/** Creates an account without history; `tell` receives every fact. */
export type CreateAccount<A> = (options: FakeServerOptions, context: ServerContext, tell: TellFact<A>) => A

/** Reports facts about subscriptions that were announced. The event of its page announces a new one. */
export function reportSubscriptions<A extends Pick<OpenedAccount<string>, 'announced'>>(
  report: (account: A, fact: Fact, subscription: Subscription, before?: Subscription) => void,
): TellFact<A> {
  return (account, fact, object, before) => {
    if (object.kind !== 'subscription' || !account.announced.has(object.id)) return
    if (fact === 'subscription added' || fact === 'trial ending') return
    report(account, fact, object, before as Subscription | undefined)
  }
}

/** Opens an account without history. */
export function openAccount<T extends string | number>(
  { url, clock, messages, replica }: ServerContext,
  given: {
    readonly settings: Settings
    readonly idFor: (kind: Kind | 'item' | 'line') => string
    /** `next` returns the moment of a change, given the previous one; `never` stands for no moment. */
    readonly next: (last: T | undefined) => T
    readonly never: T
    readonly tell: World['tell']
  },
): OpenedAccount<T> {
  const { settings, idFor, tell } = given
  const store = createStore(replica)
  const announced = trackSet(replica, new Set<string>())
  return {
    world: createWorld({ settings, clock, store, idFor, tell }),
    url,
    ...createStamps(store, given.never, given.next, replica),
    announced,
    findSubscription: (id) => (announced.has(id) ? store.find('subscription', id) : undefined),
    listSubscriptions: () => store.list('subscription').filter(({ id }) => announced.has(id)),
    send: (id, type, event) =>
      messages.append({ id, type, created: clock.seconds(), body: JSON.stringify(event) }),
  }
}

/** Opens an account with what only this provider shows; `tell` receives its facts. */
export function openOwnAccount<T extends string | number, A>(
  context: ServerContext,
  {
    tell,
    extend,
    ...given
  }: Omit<Parameters<typeof openAccount<T>>[1], 'tell'> & {
    readonly tell: TellFact<A>
    readonly extend: (opened: OpenedAccount<T>) => A
  },
): A {
  const account = extend(openAccount<T>(context, { ...given, tell: (...of) => tell(account, ...of) }))
  return account
}

/** Finds the page on which a subscription began, or that a payment paid. */
export function findPage(
  store: Store,
  { subscription, payment }: { readonly subscription?: string | null; readonly payment?: string },
): Checkout | undefined {
  return (
    subscription
      ? store.having('checkout', 'subscription', subscription)
      : store.having('checkout', 'payment', payment ?? null)
  )[0]
}

/** Returns settings that charge a renewal at once, and retry a declined payment on these days. */
export function settingsOf(
  { dunning = {}, tax }: FakeServerOptions,
  retryDays: readonly number[],
  outcome: Settings['dunning']['outcome'] = 'cancel',
): Settings {
  return {
    draftSeconds: 0,
    tax: tax ?? null,
    dunning: { retryDays: dunning.retryDays ?? retryDays, outcome: dunning.outcome ?? outcome },
  }
}
