import type { Deliveries } from './deliveries.ts'
import { wrongWith } from './silence.ts'
import type { Noticed, Troubles, Where } from './troubles.ts'

/** A receiver of events, and the number of its messages that were given up. */
export interface GivenUp {
  readonly receiver: Where
  readonly count: number
}

/** Checks once a minute whether deliveries arrive as usual. Every process checks; one of them reports a problem. */
export function createWatch(deps: {
  deliveries: Deliveries
  troubles: Troubles
  /** True if a provider still sends to this site over a network. */
  isWatched: (provider: string) => boolean
  /** Counts the given-up messages of each configured receiver. */
  givenUp: () => Promise<readonly GivenUp[]>
  now: () => Date
}) {
  const { deliveries, troubles, isWatched, givenUp, now } = deps

  const runDue = async (): Promise<void> => {
    await deliveries.flush()
    const all = (await deliveries.list()).filter(({ provider }) => isWatched(provider))
    for (const item of all) {
      const isHeard = all.some((other) => other.provider === item.provider && other.last_at !== null)
      await troubles.set(
        { key: item.provider, account: item.account },
        'deliveries',
        wrongWith(item, now(), isHeard),
      )
    }
    const receivers = await givenUp()
    for (const { receiver, count } of receivers)
      await troubles.set(receiver, ofReceivers, count === 0 ? [] : [wrongWithReceiver(receiver.key, count)])
    await troubles.endOthers(({ key, account, respect }) =>
      respect === ofReceivers
        ? receivers.some(({ receiver }) => receiver.key === key && receiver.account === account)
        : isWatched(key),
    )
  }

  return { runDue }
}

const ofReceivers = 'receivers'

function wrongWithReceiver(host: string, count: number): Noticed {
  return {
    kind: 'events_given_up',
    message: `${count === 1 ? 'An event' : `${count} events`} for ${host} could not be delivered and ${count === 1 ? 'was' : 'were'} given up.`,
    action: `Mend the receiver, then: membership outbox replay --to ADDRESS. The reasons: membership outbox list --dead`,
  }
}
