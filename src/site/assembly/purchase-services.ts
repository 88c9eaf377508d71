import { isInEurope } from '../../core/config/europe.ts'
import { sellersOf } from '../../core/config/index.ts'
import type { Outbox } from '../../core/jobs/outbox.ts'
import { type PageWords, titleIn } from '../../core/words/index.ts'
import { createLostDays } from '../../memberships/after-restore/index.ts'
import type { AuditLog } from '../../memberships/audit-log/index.ts'
import type { Catalogue } from '../../memberships/catalogue/index.ts'
import {
  type Actions,
  createActions,
  createCheckout,
  createCheckoutPolling,
  createSettling,
  createSingleAction,
  type MissingCustomers,
  type SingleAction,
} from '../../memberships/checkout/index.ts'
import type { EventList } from '../../memberships/domain-events.ts'
import { type Codes, createGifts } from '../../memberships/gifts/index.ts'
import type { HooksService } from '../../memberships/hooks/index.ts'
import type { Ledger } from '../../memberships/ledger/index.ts'
import type { User, UserRules, Users } from '../../memberships/members/index.ts'
import { createRaises } from '../../memberships/raises/index.ts'
import {
  type California,
  createDeadlines,
  createDeclarations,
  createUnusedMoney,
} from '../../memberships/shop/index.ts'
import { type Changes, offers } from '../../memberships/subscriptions/index.ts'
import { createSwitch, type SwitchedMembers } from '../../memberships/switching/index.ts'
import type { DiscountsHad, Trials } from '../../memberships/trials/index.ts'
import { providerAt } from '../../memberships/verification/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import { digitsOf } from '../../providers/registry.ts'
import type { Environment } from './environment.ts'
import type { Mailing } from './mailing.ts'

interface Given {
  readonly ledger: Ledger
  readonly california: California
  readonly changes: Changes
  readonly hooks: HooksService
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly catalogue: Catalogue
  readonly trials: Trials
  readonly discountsHad: DiscountsHad
  readonly forLiving: MissingCustomers['forLiving']
  /** Waits until another background request to a provider is allowed. */
  readonly turn: (place: { key: string; account: string }) => Promise<void>
  readonly signIntent: (id: string) => string
  readonly findMember: (id: string) => Promise<User | null>
  readonly switchedMembers: SwitchedMembers
  /** Dependencies of the public declaration pages. */
  readonly declaring: {
    readonly outbox: Outbox
    readonly mailing: Pick<Mailing, 'ofDeclaration' | 'ofDeadline' | 'siteUrl'>
    readonly findByEmail: (email: string) => Promise<User | null>
    readonly words: Pick<PageWords, 'voiceFor'>
  }
  /** @throws ERR_NO_MAIL */
  readonly requireMails: () => void
  /** The dependencies of gifts. */
  readonly giving: {
    readonly outbox: Outbox
    readonly users: Users
    readonly rules: UserRules
    readonly codes: Codes
    readonly auditLog: AuditLog
  }
  readonly events: Pick<EventList, 'stepsOf'>
}

/** Builds checkouts, their settlement, and members' actions on their purchases. */
export const createPurchaseServices = (environment: Environment, given: Given) => {
  const { storage, config, now, randomId, log } = environment
  const { ledger, changes, hooks, providers, catalogue, trials, forLiving, signIntent, findMember, turn } =
    given
  const plans = (provider: string) => catalogue.plans(provider)
  const settling = createSettling({ storage, ledger, changes, providers, now, log })
  const buying = {
    storage,
    changes,
    hooks,
    config,
    providers,
    plans,
    forLiving,
    now,
    randomId,
    learnPrices: catalogue.refresh,
    digitsOf: digitsOf(environment.definitions),
  }
  const checkout = createCheckout({
    ...buying,
    settling,
    signIntent,
    trials,
    site: environment.sites[0] ?? null,
    catalogue,
    leavesFor: given.switchedMembers.leavesFor,
    targetFor: given.switchedMembers.targetFor,
  })
  const singleAction = createSingleAction({ storage, ledger, changes, now, randomId })
  const gifts = createGifts({
    storage,
    ledger,
    providers,
    now,
    randomId,
    log,
    ...given.giving,
    plans: catalogue.all,
    singleAction,
    noteChange: (memberId) => ledger.noteMember(memberId),
    isLost: createLostDays(storage).include,
  })
  const actions = createActions({
    ...buying,
    ledger,
    findMember,
    resuming: gifts.resuming,
    discountsHad: given.discountsHad,
  })
  const declarations = openDeclarations(environment, given, actions.cancel)
  const unusedMoney = createUnusedMoney({
    storage,
    now,
    rules: () => ({ ...given.giving.rules, plans: catalogue.all() }),
  })
  return {
    settling,
    checkoutPolling: createCheckoutPolling({ storage, settling, providers, turn, now, log }),
    checkout,
    actions,
    gifts,
    raises: openRaises(environment, given, singleAction),
    declarations,
    unusedMoney,
    deadlines: openDeadlines(environment, given, { declarations, unusedMoney }),
    switchProvider: createSwitch({
      storage,
      ledger,
      changes,
      providers,
      plans,
      findMember,
      now,
      log,
      sellers: sellersOf(config),
      tell: (notice) => given.events.stepsOf('switch.changed', notice),
    }),
  }
}

/** Builds raises of prices. */
const openRaises = (
  { storage, config, now, log }: Environment,
  { ledger, providers, catalogue, findMember, giving, california, requireMails }: Given,
  once: SingleAction,
) =>
  createRaises({
    storage,
    ledger,
    providers,
    findMember,
    now,
    log,
    once,
    outbox: giving.outbox,
    plans: catalogue.all,
    waitForPrices: async () => {
      await Promise.all([...providers.keys()].map(catalogue.waitForPrices))
    },
    loadReplacements: catalogue.loadReplacements,
    needsConsent: isInEurope(config.shop.country),
    hasNoticeWindow: california.appliesTo,
    requireMails,
  })

/** Builds cancellations and withdrawals from the public pages. */
const openDeclarations = (
  { storage, now, randomId }: Environment,
  { providers, catalogue, declaring: { outbox, mailing, findByEmail, words } }: Given,
  cancel: Actions['cancel'],
) =>
  createDeclarations({
    storage,
    outbox,
    findByEmail,
    cancel,
    now,
    randomId,
    titlesOf: ({ price_id }) =>
      words
        .voiceFor([])
        .languages.map(({ lang }) => titleIn(words.voiceFor([lang]), price_id, catalogue.all())),
    takesBack: ({ provider: key, account }) => {
      const provider = providerAt(providers, key, account)
      return (
        provider !== undefined &&
        offers(provider, 'resume') &&
        provider.capabilities?.takes_back_end !== false
      )
    },
    acknowledgement: mailing.ofDeclaration,
  })

/** Builds the service of the site's deadlines, and the mails about them. */
const openDeadlines = (
  { storage, config, now }: Environment,
  { declaring: { outbox, mailing } }: Given,
  lists: Pick<Parameters<typeof createDeadlines>[0], 'declarations' | 'unusedMoney'>,
) =>
  createDeadlines({
    storage,
    outbox,
    now,
    ...lists,
    message: (deadline, name) =>
      config.operator.email === null
        ? null
        : mailing.ofDeadline(deadline, name, { to: config.operator.email, siteUrl: mailing.siteUrl() }),
  })
