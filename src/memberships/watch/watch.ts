import type { Rounds } from '../../core/jobs/rounds.ts'
import type { Deliveries } from './deliveries.ts'
import { wrongWith } from './silence.ts'
import type { Troubles } from './troubles.ts'

/** Looks once a minute whether messages come as they use to: one of all processes does it. */
export const createWatch = (deps: {
  deliveries: Deliveries
  troubles: Troubles
  rounds: Rounds
  /** Whether a provider sends to this site still, over a network. */
  isWatched: (provider: string) => boolean
  now: () => Date
}) => {
  const { deliveries, troubles, rounds, isWatched, now } = deps

  const runDue = async (): Promise<void> => {
    await deliveries.flush()
    const round = await rounds.take<null>('watch', rhythm)
    if (round === null) return
    const all = (await deliveries.list()).filter(({ provider }) => isWatched(provider))
    for (const one of all) {
      const isHeard = all.some((other) => other.provider === one.provider && other.last_at !== null)
      await troubles.set(
        { key: one.provider, account: one.account },
        'deliveries',
        wrongWith(one, now(), isHeard),
      )
    }
    await troubles.endOthers(isWatched)
    await round.end(null)
  }

  return { runDue }
}

const minuteMs = 60_000
const rhythm = { everyMs: minuteMs, leaseMs: 5 * minuteMs, firstMs: 0 }
