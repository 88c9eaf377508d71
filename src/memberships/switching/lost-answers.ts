import type { Provider } from '../../providers/contract.ts'
import type { SwitchRow } from './statements.ts'

/** The key of the call by which a round of a switch ends one subscription. */
export const endingKey = (round: number, id: string): string => `switch:${round}:${id}`

/** Whether the call whose answer was lost is what ended it, as its provider's own record says; false where it keeps none
 *  that names calls. */
export const isEndedByUs = async (
  { endedBy }: Pick<Provider, 'endedBy'>,
  row: SwitchRow | undefined,
  now: Date,
): Promise<boolean> => {
  if (endedBy === undefined || row === undefined) return false
  const { id, round, updated_at: begun } = row
  const since = new Date(Math.max(Date.parse(begun) - clocksApartMs, now.getTime() - recordedMs))
  return endedBy({ subscriptionId: id, idempotencyKey: endingKey(round, id), since })
}

// A provider's clock may be behind ours; nobody keeps such a record for longer.
const clocksApartMs = 5 * 60_000
const recordedMs = 30 * 86_400_000
