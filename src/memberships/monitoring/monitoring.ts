import type { Deliveries } from './deliveries.ts'
import { wrongWith } from './silence.ts'
import type { Troubles } from './troubles.ts'

/** Checks once a minute whether deliveries arrive as usual. Every process checks; one of them reports a problem. */
export const createWatch = (deps: {
  deliveries: Deliveries
  troubles: Troubles
  /** True if a provider still sends to this site over a network. */
  isWatched: (provider: string) => boolean
  now: () => Date
}) => {
  const { deliveries, troubles, isWatched, now } = deps

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
    await troubles.endOthers(isWatched)
  }

  return { runDue }
}
