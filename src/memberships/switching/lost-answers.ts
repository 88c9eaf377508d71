import type { ProviderReader } from '../../providers/contract.ts'
import type { SwitchRow } from './statements.ts'

/** The idempotency key of the call that ends a subscription in one round of a switch. */
export const endingKey = (round: number, id: string): string => `switch:${round}:${id}`

/**
 * True if our call with the lost answer ended it. The provider's own record decides; without call records, the
 * subscription must have changed within a minute of our request.
 */
export const isEndedByUs = async (
  { endedBy }: Pick<ProviderReader, 'endedBy'>,
  row: SwitchRow | undefined,
  { now, changedAt }: { readonly now: Date; readonly changedAt: string | null },
): Promise<boolean> => {
  if (row === undefined) return false
  const { id, round, updated_at: begun } = row
  if (endedBy === undefined)
    return changedAt !== null && Math.abs(Date.parse(changedAt) - Date.parse(begun)) <= sameRequestMs
  const since = new Date(Math.max(Date.parse(begun) - clocksApartMs, now.getTime() - recordedMs))
  return endedBy({ subscriptionId: id, idempotencyKey: endingKey(round, id), since })
}

const sameRequestMs = 60_000

// A provider's clock may be behind ours. No provider keeps such a record longer than `recordedMs`.
const clocksApartMs = 5 * 60_000
const recordedMs = 30 * 86_400_000
