import {
  type AnyObject,
  createStore,
  createWorld,
  type Fact,
  type Ground,
  type MerchantClock,
  type Settings,
  type Subscription,
  type World,
} from '../../../merchant/index.ts'
import type { Json } from './options.ts'

/** One site of Chargebee: what is behind it, and when everything changed. */
export interface Account {
  readonly world: World
  readonly url: string
  /** When the newest of these changed, in milliseconds of which no two are the same. */
  readonly versionOf: (...ids: (string | null | undefined)[]) => number
  /** It counts as changed now. */
  touch(id: string): void
  /** A subscription is known to nobody before its page is paid on. */
  readonly announced: Set<string>
  /** The customer whose invoices a page collects. */
  readonly collecting: Map<string, string>
  /** What the next subscription is called, where its page says so. */
  called: string | null
  listSubscriptions(): Subscription[]
  /** A new id that begins so. */
  newId(prefix: string): string
  /** Records an event, which is sent. */
  emit(type: string, content: Json): void
}

const prefixes: Readonly<Record<string, string>> = {
  price: 'price',
  customer: 'cus',
  checkout: 'hp',
  invoice: 'inv',
  subscription: 'sub',
  line: 'li',
  payment: 'pay',
  charge: 'txn',
  refund: 'txn',
  dispute: 'txn',
  portal: 'portal',
}

/** A site in which nothing has happened; `tell` hears of every fact. */
export const createAccount = (
  settings: Settings,
  { url, clock, ids, messages }: Ground,
  tell: (account: Account, fact: Fact, object: AnyObject, before?: AnyObject) => void,
): Account => {
  const store = createStore()
  const versions = new Map<string, number>()
  const next = createVersions(clock)
  const touch = (id: string): void => void versions.set(id, next())
  store.onChange(({ id }) => touch(id))
  const world = createWorld({
    settings,
    clock,
    store,
    idFor: (kind) => {
      if (kind !== 'subscription' || account.called === null) return ids(prefixes[kind] ?? kind, 16)
      const { called } = account
      account.called = null
      return called
    },
    tell: (fact, object, before) => tell(account, fact, object, before),
  })
  const account: Account = {
    world,
    url,
    versionOf: (...of) => Math.max(0, ...of.map((id) => (id ? (versions.get(id) ?? 0) : 0))),
    touch,
    announced: new Set(),
    collecting: new Map(),
    called: null,
    listSubscriptions: () => store.list('subscription').filter(({ id }) => account.announced.has(id)),
    newId: (prefix) => ids(prefix, 16),
    emit: (event_type, content) => {
      const event = {
        id: ids('ev', 16),
        occurred_at: clock.seconds(),
        source: 'api',
        object: 'event',
        api_version: 'v2',
        content,
        event_type,
        webhook_status: 'scheduled',
      }
      messages.append({
        id: event.id,
        type: event_type,
        created: clock.seconds(),
        body: JSON.stringify(event),
      })
    },
  }
  return account
}

/** `resource_version`: milliseconds, of which the later is the greater. */
const createVersions = (clock: Pick<MerchantClock, 'seconds'>) => {
  let last = 0
  return (): number => {
    last = Math.max(last + 1, clock.seconds() * 1000)
    return last
  }
}
