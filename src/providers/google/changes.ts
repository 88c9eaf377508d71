import type { Change, ProviderEvent, Ref } from '../contract.ts'
import { isObject, str } from '../narrow.ts'

/**
 * Names the purchases of one notification, which are then fetched. A notification of another app in the same
 * project names none. Pure and total.
 */
export function googleChanges(packageName: string | undefined) {
  return ({ object }: Pick<ProviderEvent, 'object'>): Change[] => {
    if (!isObject(object) || packageName === undefined || object.packageName !== packageName) return []
    const refs: (Ref | null)[] = [
      refTo('subscription', object.subscription),
      refTo('payment', object.product),
      refTo('payment', object.order),
    ]
    return refs.flatMap((ref): Change[] => (ref === null ? [] : [{ type: 'touch', ref }]))
  }
}

function refTo(kind: 'subscription' | 'payment', id: unknown): Ref | null {
  const text = str(id)
  return text === null ? null : { kind, id: text }
}
