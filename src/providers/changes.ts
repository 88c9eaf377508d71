import type { Change, CustomerChange, MoneyChange, MoneyFact, MoneyKind, Stage } from './snapshots.ts'

/** Stage of an object, and its own revision if it has one. */
export interface Stamp {
  readonly stage: Stage
  readonly at?: string | undefined
}

/** Builds a stamp; without a revision the event's time counts. */
export function stampOf(stage: Stage, at: string | null): Stamp {
  return at === null ? { stage } : { stage, at }
}

/** Stamp of objects that have no revision. */
export const updated: Stamp = { stage: 'updated' }

/** Builds the change of a money object; none if there is no object. */
export function moneyChange(
  role: MoneyKind | Pick<MoneyChange, 'kind' | 'part'>,
  data: MoneyFact | null,
  stamp: Stamp = updated,
): MoneyChange[] {
  const place = typeof role === 'string' ? { kind: role } : role
  return data === null ? [] : [{ type: 'money', ...place, id: data.id, ...stamp, data }]
}

/**
 * Adds the moment of payment to an event that reports one. The objects of these providers have only their moment of
 * creation, and a debit or a later attempt pays an object that is days old. A later answer of the API does not repeat the
 * event, so the moment is a fact of its own.
 */
export function withPaidMoment(changes: readonly Change[], at: string | null): Change[] {
  const moments = changes.flatMap((change) => {
    if (change.type !== 'money' || change.kind !== 'payment' || at === null) return []
    const { id, part, data } = change
    const isLater =
      data.state === 'paid' && data.paid_at != null && Date.parse(at) - Date.parse(data.paid_at) > promptMs
    if (!isLater) return []
    const refs = [{ kind: 'payment' as const, id, ...(part === undefined ? {} : { part }) }]
    return moneyChange('link', { id: `paid_${id}`, refs, state: 'pending', paid_at: at })
  })
  return [...changes, ...moments]
}

// Within this time the creation counts as the payment.
const promptMs = 3_600_000

/** Builds the change of a customer; none if there is no customer. */
export function customerChange(
  data: CustomerChange['data'] | null,
  stamp: Stamp = updated,
): CustomerChange[] {
  return data === null ? [] : [{ type: 'customer', id: data.id, ...stamp, data }]
}

/** Adds the mode to a change that was not in an event. */
export function inMode(change: Change, livemode: boolean): Change {
  return change.type === 'touch' ? change : ({ ...change, data: { ...change.data, livemode } } as Change)
}

/** Returns the types of events about one kind of object, each with `value`. */
export function eventTypes<const V>(prefix: string, endings: string, value: V): [type: string, value: V][] {
  return endings.split(' ').map((ending) => [`${prefix}${ending}`, value])
}
