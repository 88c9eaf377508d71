import type { Change } from '../../providers/contract.ts'
import type { Origin } from './history.ts'

/** Names the customer whose rows the changes meet, else the first object: one at a time writes about that. */
export const turnOf = (
  changes: readonly Change[],
  { provider, account }: Pick<Origin, 'provider' | 'account'>,
): string => {
  const own = changes.filter((change) => change.type !== 'touch')
  const named = own.map((change) => (change.type === 'customer' ? change.id : change.data.customer_id))
  const whose = named.find((id) => typeof id === 'string') ?? own[0]?.id ?? ''
  return `${provider}\u0000${account}\u0000${whose}`
}
