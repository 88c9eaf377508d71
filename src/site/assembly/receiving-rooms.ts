import type { AccessRules, Plan } from '../../core/dto/index.ts'
import { createRateLimit } from '../../core/http/rate-limit.ts'
import { createReputation } from '../../core/http/reputation.ts'
import type { Step, Storage } from '../../core/storage/index.ts'
import { createImport } from '../../memberships/import/index.ts'
import type { Ledger } from '../../memberships/ledger/index.ts'
import type { User } from '../../memberships/members/index.ts'
import { createFetches } from '../../memberships/sync/fetches.ts'
import { createUnassigned, type Unassigned } from '../../memberships/sync/unassigned.ts'
import { createInbox } from '../../memberships/webhooks/inbox.ts'
import { createPings } from '../../memberships/webhooks/pings.ts'
import { createPull } from '../../memberships/webhooks/pull.ts'
import { createReceive } from '../../memberships/webhooks/receive.ts'
import type { ConfiguredProvider } from '../../providers/configured.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import { createAskingRooms } from './asking-rooms.ts'
import { livemodeIn } from './bookkeeping.ts'
import type { Ground } from './ground.ts'
import { createLettingGo } from './leaving.ts'
import type { WatchRooms } from './watch-rooms.ts'

interface Given {
  readonly ledger: Ledger
  /** A ledger on another database, with the rules of this site. */
  readonly ledgerOn: (storage: Storage) => Ledger
  readonly configured: ReadonlyMap<string, ConfiguredProvider>
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly findMember: (id: string) => Promise<User | null>
  readonly tellUnassigned: (unassigned: Unassigned) => readonly Step[]
  readonly rules: Omit<AccessRules, 'plans'>
  readonly watch: Pick<WatchRooms, 'troubles' | 'deliveries'>
  readonly plans: () => readonly Plan[]
}

/** What providers send, what is asked of them for what that left open, and what leaves when its time is over. */
export const createReceivingRooms = (ground: Ground, given: Given) => {
  const { storage, counters, config, now, log } = ground
  const { ledger, configured, providers, findMember, rules, watch } = given
  const { retries, keep_bodies_days: keepBodiesDays } = config.webhooks
  const inbox = createInbox({ storage, ledger, providers: configured, now, log, retries, keepBodiesDays })
  const ratelimit = createRateLimit({ limit: config.ratelimit.limit, counters })
  const reputation = createReputation(ratelimit)
  const pull = createPull({ storage, inbox })
  const pings = createPings({ storage, ledger, reputation, now })
  return {
    inbox,
    ratelimit,
    receive: createReceive({ inbox, pings, isProven: reputation.isProven, note: watch.deliveries.note, now }),
    fetches: createFetches({ storage, ledger, providers, reputation, now, log }),
    pull,
    ...createAskingRooms(ground, {
      ...{ ledger, configured, providers, pull, rules },
      notice: watch.troubles.set,
      lastDelivery: (place) => watch.deliveries.lastOf(place.key, place.account),
    }),
    importing: openImport(ground, given),
    unassigned: createUnassigned({ ...ground, ledger, findMember, tell: given.tellUnassigned }),
    letGo: createLettingGo({ storage, now, keepBodiesDays }),
  }
}

const openImport = (ground: Ground, { ledger, ledgerOn, configured, providers, plans }: Given) =>
  createImport({
    ...ground,
    ...{ ledger, ledgerOn, providers, plans },
    livemode: livemodeIn(configured),
    defaultRole: ground.config.members.roles[0] ?? 'member',
  })
