import { setTimeout as sleep } from 'node:timers/promises'
import type { AccessRules } from '../../core/dto/index.ts'
import { createRounds } from '../../core/jobs/rounds.ts'
import type { Ledger } from '../../memberships/ledger/index.ts'
import type { Troubles } from '../../memberships/monitoring/troubles.ts'
import { createBudget, shares } from '../../memberships/sync/budget.ts'
import { createCompare } from '../../memberships/sync/compare.ts'
import { createEndpointChecks } from '../../memberships/sync/endpoints.ts'
import { createOneLook } from '../../memberships/sync/one-look.ts'
import { createOverdue } from '../../memberships/sync/overdue.ts'
import { askedPlaces, createKeepingUp, type KeepingUpDeps } from '../../memberships/sync/sync.ts'
import type { ConfiguredProvider } from '../../providers/configured.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import { livemodeIn } from './bookkeeping.ts'
import type { Ground } from './ground.ts'

type Given = Pick<KeepingUpDeps, 'pull' | 'lastDelivery'> & {
  readonly notice: Troubles['set']
  readonly ledger: Ledger
  readonly configured: ReadonlyMap<string, ConfiguredProvider>
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly rules: Omit<AccessRules, 'plans'>
}

/** What providers are asked for, by hand and by itself: how fast, and by which process. */
export const createAskingRooms = (ground: Ground, given: Given) => {
  const { storage, config, now, log } = ground
  const { ledger, configured, providers, rules } = given
  const finish = new AbortController()
  const budget = openBudget(ground, configured, finish.signal)
  const rounds = createRounds(storage, now)
  const turn = (place: { key: string; account: string }) => budget.turn(place, shares.byItself)
  const livemode = livemodeIn(configured)
  const { compare, ofPlace, guards } = createCompare({
    storage,
    ledger,
    providers,
    livemode,
    rules,
    budget,
    now,
  })
  const places = askedPlaces(providers, (key) => configured.get(key)?.isHere ?? false)
  const keepingUp = createKeepingUp({
    ...{ ...given, places, rounds, budget, guards, now },
    comparePlace: ofPlace,
    finish: finish.signal,
  })
  return {
    compare,
    keepingUp,
    overdue: createOverdue({ storage, ledger, rounds, turn, now, log }),
    endpoints: createEndpointChecks({ places, rounds, budget, notice: given.notice, siteUrl: config.url }),
    rounds,
    turn,
    countLook: createOneLook({ storage, now }),
    /** Ends what is being asked for: the next process goes on with it. */
    stopAsking: () => finish.abort(),
  }
}

const openBudget = (
  { storage, options, now }: Ground,
  configured: Given['configured'],
  finish: AbortSignal,
) =>
  createBudget({
    storage,
    rates: new Map([...configured].flatMap(([key, { rate }]) => (rate === null ? [] : [[key, rate]]))),
    livemode: livemodeIn(configured),
    now,
    // A clock that is given is moved by whoever gave it: nobody waits for it here.
    wait: options.now ? async () => undefined : (ms) => sleep(ms, undefined, { signal: finish }),
  })
