import { sellersOf } from '../../core/config/index.ts'
import type { Step } from '../../core/storage/index.ts'
import type { Catalogue } from '../../memberships/catalogue/index.ts'
import {
  createActions,
  createCheckout,
  createLooks,
  createSettling,
  type Gone,
} from '../../memberships/checkout/index.ts'
import type { HooksRoom } from '../../memberships/hooks/index.ts'
import type { Ledger } from '../../memberships/ledger/index.ts'
import type { User } from '../../memberships/members/index.ts'
import type { Leavers } from '../../memberships/switching/leavers.ts'
import type { SwitchNews } from '../../memberships/switching/requests.ts'
import { createSwitch } from '../../memberships/switching/switch.ts'
import type { Trials } from '../../memberships/trials/index.ts'
import type { Provider } from '../../providers/contract.ts'
import type { Ground } from './ground.ts'

/** Purchases that begin here, how they end, and what members do to what they bought. */
export const createPurchaseRooms = (
  { storage, config, now, randomId, log }: Ground,
  given: {
    ledger: Ledger
    hooks: HooksRoom
    providers: ReadonlyMap<string, Provider>
    catalogue: Catalogue
    trials: Trials
    forLiving: Gone['forLiving']
    /** Waits until one more request may be made of a provider by itself. */
    turn: (place: { key: string; account: string }) => Promise<void>
    signIntent: (id: string) => string
    findMember: (id: string) => Promise<User | null>
    leavers: Leavers
    tellOfSwitch: (news: SwitchNews) => readonly Step[]
  },
) => {
  const { ledger, hooks, providers, catalogue, trials, forLiving, signIntent, findMember, turn } = given
  const plans = (provider: string) => catalogue.plans(provider)
  const settling = createSettling({ storage, ledger, providers, now, randomId, log })
  const checkout = createCheckout({
    storage,
    settling,
    forLiving,
    signIntent,
    hooks,
    config,
    providers,
    plans,
    isElsewhere: catalogue.isElsewhere,
    trials,
    leavesFor: given.leavers.leavesFor,
    now,
    randomId,
  })
  const actions = createActions({
    storage,
    ledger,
    hooks,
    config,
    providers,
    plans,
    learnPrices: catalogue.refresh,
    forLiving,
    findMember,
    now,
    randomId,
  })
  const looks = createLooks({ storage, settling, providers, turn, now })
  const switchProvider = createSwitch({
    storage,
    ledger,
    providers,
    plans,
    sellers: sellersOf(config),
    findMember,
    tell: given.tellOfSwitch,
    now,
    randomId,
    log,
  })
  return { settling, looks, checkout, actions, switchProvider }
}
