import { sellersOf } from '../../core/config/index.ts'
import type { Outbox } from '../../core/jobs/outbox.ts'
import type { Step } from '../../core/storage/index.ts'
import { type PageWords, titleIn } from '../../core/words/index.ts'
import type { Catalogue } from '../../memberships/catalogue/index.ts'
import {
  createActions,
  createCheckout,
  createLooks,
  createSettling,
  type Gone,
} from '../../memberships/checkout/index.ts'
import type { HooksRoom } from '../../memberships/hooks/index.ts'
import { providerAt } from '../../memberships/intake/provider-at.ts'
import type { Ledger } from '../../memberships/ledger/index.ts'
import type { User } from '../../memberships/members/index.ts'
import { createDeclarations } from '../../memberships/shop/index.ts'
import type { Leavers } from '../../memberships/switching/leavers.ts'
import type { SwitchNews } from '../../memberships/switching/requests.ts'
import { createSwitch } from '../../memberships/switching/switch.ts'
import type { Trials } from '../../memberships/trials/index.ts'
import type { Provider } from '../../providers/contract.ts'
import type { Ground } from './ground.ts'
import type { Mailing } from './mailing.ts'

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
    /** What declarations on the public pages need. */
    declaring: {
      outbox: () => Outbox
      mailing: Pick<Mailing, 'ofDeclaration'>
      findByEmail: (email: string) => Promise<User | null>
      words: Pick<PageWords, 'voiceFor'>
    }
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
    learnPrices: catalogue.refresh,
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
  const { outbox, mailing, findByEmail, words } = given.declaring
  const declarations = createDeclarations({
    storage,
    outbox,
    findByEmail,
    titlesOf: ({ price_id }) =>
      words
        .voiceFor([])
        .languages.map(({ lang }) => titleIn(words.voiceFor([lang]), price_id, catalogue.all())),
    takesBack: ({ provider: key, account }) => {
      const provider = providerAt(providers, key, account)
      return provider?.resume !== undefined && provider.capabilities?.takes_back_end !== false
    },
    cancel: actions.cancel,
    receipt: mailing.ofDeclaration,
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
  return { settling, looks, checkout, actions, declarations, switchProvider }
}
