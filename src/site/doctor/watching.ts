import type { Received } from '../../memberships/monitoring/deliveries.ts'
import { endpointOf } from '../../memberships/monitoring/silence.ts'
import { type Check, found, ok } from './check.ts'
import { duration } from './events.ts'
import { doctorQueries, type Readable } from './statements.ts'

/** Checks what the running site noted about its providers: current troubles, and how events arrive. */
export const checkWatching = async (storage: Readable, now: Date): Promise<Check[]> => {
  const troubles = await doctorQueries.troubles(storage)
  const received = (await doctorQueries.deliveries(storage)).map(({ value }) => JSON.parse(value) as Received)
  return [
    ...troubles.map(({ kind, message, action, since }) =>
      found('problem', `trouble-${kind}`, `${message} Since ${since}.`, action),
    ),
    ...received.map((item) => ok('deliveries', sentenceOf(item, now))),
  ]
}

const sentenceOf = (received: Received, now: Date): string => {
  const { provider, account, last_delivery_at, usual_gap_seconds, failure_rate } = endpointOf(received, now)
  const name = account === '' ? provider : `${provider} (${account})`
  if (last_delivery_at === null) return `No event from ${name} was applied yet.`
  const ago = duration(now.getTime() - Date.parse(last_delivery_at))
  const usual =
    usual_gap_seconds === null ? '' : `, and up to ${duration(usual_gap_seconds * 1000)} pass without one`
  const rate = failure_rate === null ? '' : `; ${Math.round(failure_rate * 100)} % failed since yesterday`
  return `The last message of ${name} came ${ago} ago${usual}${rate}.`
}
