import { MembershipError } from '../../core/errors.ts'
import type { Change, Delivery, ProviderEvent, ProviderReader, Ref } from '../../providers/contract.ts'

/** True if nothing of this delivery is proven. */
export const isPing = (
  { trust }: Pick<ProviderReader, 'trust'>,
  delivery: Pick<Delivery, 'headers'>,
): boolean => (typeof trust === 'function' ? trust(delivery) : trust) === 'ping'

/** True if the objects of an account can be asked for. */
export const canAsk = ({ accounts, fetch }: ProviderReader, account: string): boolean =>
  (accounts ? accounts.get(account)?.fetch : fetch) !== undefined

/**
 * Keeps of a message what its delivery proves. Where only the sender is known and the objects can be asked for, the
 * message says no more than what to ask for; that one was deleted is believed until the answer shows otherwise,
 * since what is gone cannot be shown.
 */
export const provenChanges = (
  provider: ProviderReader,
  changes: readonly Change[],
  account: string,
): readonly Change[] => {
  if (provider.trust !== 'credentials' || !canAsk(provider, account)) return changes
  return changes.flatMap((change) => {
    if (change.type === 'touch') return [change]
    const touch = { type: 'touch', ref: refOf(change) } as const
    return change.stage === 'deleted' ? [change, touch] : [touch]
  })
}

/**
 * The objects that a message names where only its sender is known: whoever wrote its bytes can have them asked for.
 */
export const askedBy = (
  provider: ProviderReader,
  event: ProviderEvent,
  account: string,
): readonly Change[] =>
  provider.trust === 'credentials' && canAsk(provider, account)
    ? provenChanges(provider, provider.changes(event), account).filter(({ type }) => type === 'touch')
    : []

const refOf = (change: Exclude<Change, { type: 'touch' }>): Ref => ({
  kind: change.type === 'money' ? change.kind : change.type,
  id: change.id,
})

/** The objects that a ping names, each once. @throws ERR_BODY_UNREADABLE when it is none, or names what cannot be one */
export const namedBy = (provider: ProviderReader, delivery: Delivery): readonly Ref[] => {
  const named = new Map<string, Ref>()
  for (const change of changesOf(provider, delivery)) {
    // Whatever else it says, nobody vouches for.
    if (change.type !== 'touch') continue
    const { kind, id, parent } = change.ref
    if (!isId(id) || (parent !== undefined && !isId(parent))) throw noPing(provider.key)
    named.set(`${kind} ${id}`, change.ref)
  }
  if (named.size > mostNamed) throw noPing(provider.key)
  return [...named.values()]
}

const changesOf = (provider: ProviderReader, delivery: Delivery): readonly Change[] => {
  try {
    return provider.read(delivery).flatMap((event) => provider.changes(event))
  } catch (cause) {
    // Of what anybody may have sent, an error in reading it says no more than that it is no ping.
    throw noPing(provider.key, cause)
  }
}

/** Checks the form of an id that a ping may name: it becomes part of an address, and of a row. */
export const isId = (text: unknown): boolean =>
  typeof text === 'string' && /^[a-z\d][\w.:-]{0,127}$/i.test(text)

// Every known one names a single object.
const mostNamed = 10

const noPing = (key: string, cause?: unknown): MembershipError =>
  new MembershipError('ERR_BODY_UNREADABLE', `This is no ping of ${key}.`, {
    action: `Only ${key} itself sends here.`,
    cause,
  })
