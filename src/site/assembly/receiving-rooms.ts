import type { AccessRules, Plan } from '../../core/dto/index.ts'
import { createRateLimit } from '../../core/http/rate-limit.ts'
import { createReputation } from '../../core/http/reputation.ts'
import type { Step, Storage } from '../../core/storage/index.ts'
import { createImport } from '../../memberships/import/index.ts'
import type { Ledger } from '../../memberships/ledger/index.ts'
import type { User } from '../../memberships/members/index.ts'
import { createFetches } from '../../memberships/reconcile/fetches.ts'
import { createUnassigned, type Unassigned } from '../../memberships/reconcile/unassigned.ts'
import { createInbox } from '../../memberships/webhooks/inbox.ts'
import { createPings } from '../../memberships/webhooks/pings.ts'
import { createPull } from '../../memberships/webhooks/pull.ts'
import { createReceive } from '../../memberships/webhooks/receive.ts'
import type { ConfiguredProvider } from '../../providers/configured.ts'
import type { Provider } from '../../providers/contract.ts'
import { createAskingRooms } from './asking-rooms.ts'
import type { Ground } from './ground.ts'
import { createLettingGo } from './leaving.ts'
import type { WatchRooms } from './watch-rooms.ts'

/** What providers send, what is asked of them for what that left open, and what leaves when its time is over. */
export const createReceivingRooms = (
  ground: Ground,
  given: {
    ledger: Ledger
    /** A ledger on another database, with the rules of this site. */
    ledgerOn: (storage: Storage) => Ledger
    configured: ReadonlyMap<string, ConfiguredProvider>
    providers: ReadonlyMap<string, Provider>
    findMember: (id: string) => Promise<User | null>
    tellUnassigned: (unassigned: Unassigned) => readonly Step[]
    rules: Omit<AccessRules, 'plans'>
    watch: Pick<WatchRooms, 'troubles' | 'deliveries'>
    plans: () => readonly Plan[]
  },
) => {
  const { storage, counters, config, now, log } = ground
  const {
    ledger,
    ledgerOn,
    configured,
    providers,
    findMember,
    tellUnassigned: tell,
    rules,
    watch,
    plans,
  } = given
  const { retries, keep_bodies_days: keepBodiesDays } = config.webhooks
  const inbox = createInbox({ storage, ledger, providers: configured, now, log, retries, keepBodiesDays })
  const ratelimit = createRateLimit({ limit: config.ratelimit.limit, counters })
  const reputation = createReputation(ratelimit)
  const livemode = (key: string) => configured.get(key)?.livemode ?? null
  const pull = createPull({ storage, inbox })
  const pings = createPings({ storage, ledger, reputation, now })
  return {
    inbox,
    ratelimit,
    receive: createReceive({ inbox, pings, isProven: reputation.isProven, note: watch.deliveries.note, now }),
    fetches: createFetches({ storage, ledger, providers, reputation, now, log }),
    pull,
    ...createAskingRooms(ground, {
      ledger,
      configured,
      providers,
      pull,
      rules,
      notice: watch.troubles.set,
      lastDelivery: (place) => watch.deliveries.lastOf(place.key, place.account),
    }),
    importing: createImport({
      ...ground,
      ...{ ledger, ledgerOn, providers, livemode, plans },
      defaultRole: config.members.roles[0] ?? 'member',
    }),
    unassigned: createUnassigned({ ...ground, ledger, findMember, tell }),
    letGo: createLettingGo({ storage, now, keepBodiesDays }),
  }
}
