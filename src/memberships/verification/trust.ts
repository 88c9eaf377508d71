import { MembershipError } from '../../core/errors.ts'
import type { Change, Delivery, ProviderEvent, ProviderReader, Ref } from '../../providers/contract.ts'

/** True if nothing in this delivery is proved. */
export function isPing(
  { trust }: Pick<ProviderReader, 'trust'>,
  delivery: Pick<Delivery, 'headers'>,
): boolean {
  return (typeof trust === 'function' ? trust(delivery) : trust) === 'ping'
}

/** True if an account's objects can be fetched. */
export function canAsk({ accounts, fetch }: ProviderReader, account: string): boolean {
  return (accounts ? accounts.get(account)?.fetch : fetch) !== undefined
}

/**
 * Keeps what an event's delivery proves. Where only the sender is known and objects can be fetched, the event only
 * names objects to fetch. A deletion is believed until a fetch shows otherwise, because a deleted object cannot be
 * shown.
 */
export function provenChanges(
  provider: ProviderReader,
  changes: readonly Change[],
  account: string,
): readonly Change[] {
  if (provider.trust !== 'credentials' || !canAsk(provider, account)) return changes
  return changes.flatMap((change) => {
    if (change.type === 'touch') return [change]
    const touch = { type: 'touch', ref: refOf(change) } as const
    return change.stage === 'deleted' ? [change, touch] : [touch]
  })
}

/**
 * The objects that an event names where only its sender is known. Whoever wrote the body may cause a fetch, nothing
 * more.
 */
export function askedBy(provider: ProviderReader, event: ProviderEvent, account: string): readonly Change[] {
  return provider.trust === 'credentials' && canAsk(provider, account)
    ? provenChanges(provider, provider.changes(event), account).filter(({ type }) => type === 'touch')
    : []
}

function refOf(change: Exclude<Change, { type: 'touch' }>): Ref {
  return {
    kind: change.type === 'money' ? change.kind : change.type,
    id: change.id,
  }
}

/**
 * The objects that a ping names, each once.
 * @throws ERR_BODY_UNREADABLE when it is no ping, or names an impossible object
 */
export function namedBy(provider: ProviderReader, delivery: Delivery): readonly Ref[] {
  const named = new Map<string, Ref>()
  for (const change of changesOf(provider, delivery)) {
    // The rest of the content is unproved.
    if (change.type !== 'touch') continue
    const { kind, id, parent } = change.ref
    if (!isId(id) || (parent !== undefined && !isId(parent))) throw noPing(provider.key)
    named.set(`${kind} ${id}`, change.ref)
  }
  if (named.size > mostNamed) throw noPing(provider.key)
  return [...named.values()]
}

function changesOf(provider: ProviderReader, delivery: Delivery): readonly Change[] {
  try {
    return provider.read(delivery).flatMap((event) => provider.changes(event))
  } catch (cause) {
    // Anybody may have sent it, so a parsing error only means that it is no ping.
    throw noPing(provider.key, cause)
  }
}

/** Checks the form of an id in a ping, because it becomes part of an address and of a row. */
export function isId(text: unknown): boolean {
  return typeof text === 'string' && /^[a-z\d][\w.:-]{0,127}$/i.test(text)
}

// Every known ping names a single object.
const mostNamed = 10

function noPing(key: string, cause?: unknown): MembershipError {
  return new MembershipError('ERR_BODY_UNREADABLE', `This is no ping of ${key}.`, {
    action: `Only ${key} itself sends here.`,
    cause,
  })
}
