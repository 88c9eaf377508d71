import { isInEurope } from '../../core/config/europe.ts'
import { sellersOf } from '../../core/config/index.ts'
import type { Outbox } from '../../core/jobs/outbox.ts'
import { titleIn } from '../../core/words/index.ts'
import { createLostDays } from '../../memberships/after-restore/index.ts'
import type { AuditLog } from '../../memberships/audit-log/index.ts'
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
import { type Codes, createCodes, createGifts } from '../../memberships/gifts/index.ts'
import type { HooksService } from '../../memberships/hooks/index.ts'
import type { Ledger } from '../../memberships/ledger/index.ts'
import { createRaises } from '../../memberships/raises/index.ts'
import {
  type California,
  createDeadlines,
  createDeclarations,
  createUnusedMoney,
} from '../../memberships/shop/index.ts'
import { type Changes, offers } from '../../memberships/subscriptions/index.ts'
import { createSwitch } from '../../memberships/switching/index.ts'
import { providerAt } from '../../memberships/verification/index.ts'
import { digitsOf } from '../../providers/registry.ts'
import type { Environment, Foundation } from './environment.ts'
import type { Mailing } from './mailing.ts'
import type { MemberServices } from './member-services.ts'

interface Given {
  readonly foundation: Pick<Foundation, 'tokens' | 'providers' | 'catalogue' | 'words'>
  readonly members: MemberServices
  readonly ledger: Ledger
  readonly changes: Changes
  readonly hooks: HooksService
  readonly outbox: Outbox
  readonly mailing: Mailing
  readonly auditLog: AuditLog
  readonly california: California
  readonly events: Pick<EventList, 'stepsOf'>
  readonly forLiving: MissingCustomers['forLiving']
  /** Waits until another background request to a provider is allowed. */
  readonly turn: (place: { key: string; account: string }) => Promise<void>
}

/** Builds checkouts, their settlement, and members' actions on their purchases. */
export function createPurchaseServices(environment: Environment, given: Given) {
  const { storage, config, now, randomId, log } = environment
  const { ledger, changes, hooks, forLiving, turn } = given
  const { tokens, providers, catalogue } = given.foundation
  const { users, rules, trials, discountsHad, switchedMembers } = given.members
  const findMember = users.findById
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
    signIntent: tokens.signIntent,
    trials,
    site: environment.sites[0] ?? null,
    catalogue,
    leavesFor: switchedMembers.leavesFor,
    targetFor: switchedMembers.targetFor,
  })
  const singleAction = createSingleAction({ storage, ledger, changes, now, randomId })
  const codes = createCodes(environment.secrets)
  const gifts = openGifts(environment, given, { codes, singleAction })
  const actions = createActions({
    ...buying,
    ledger,
    findMember,
    resuming: gifts.resuming,
    discountsHad,
  })
  const declarations = openDeclarations(environment, given, actions.cancel)
  const unusedMoney = createUnusedMoney({
    storage,
    now,
    rules: () => ({ ...rules, plans: catalogue.all() }),
  })
  return {
    settling,
    checkoutPolling: createCheckoutPolling({ storage, settling, providers, turn, now, log }),
    checkout,
    actions,
    codes,
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

/** Builds gifts. */
function openGifts(
  { storage, now, randomId, log }: Environment,
  { foundation: { providers, catalogue }, members: { users, rules }, ledger, outbox, auditLog }: Given,
  { codes, singleAction }: { codes: Codes; singleAction: SingleAction },
) {
  return createGifts({
    storage,
    ledger,
    providers,
    now,
    randomId,
    log,
    outbox,
    users,
    rules,
    codes,
    auditLog,
    plans: catalogue.all,
    singleAction,
    noteChange: (memberId) => ledger.noteMember(memberId),
    isLost: createLostDays(storage).include,
  })
}

/** Builds raises of prices. */
function openRaises(
  { storage, config, now, log }: Environment,
  { foundation: { providers, catalogue }, members: { users }, ledger, outbox, california, mailing }: Given,
  once: SingleAction,
) {
  return createRaises({
    storage,
    ledger,
    providers,
    catalogue,
    outbox,
    now,
    log,
    once,
    findMember: users.findById,
    needsConsent: isInEurope(config.shop.country),
    hasNoticeWindow: california.appliesTo,
    requireMails: mailing.requireMails,
  })
}

/** Builds cancellations and withdrawals from the public pages. */
function openDeclarations(
  { storage, now, randomId }: Environment,
  { foundation: { providers, catalogue, words }, members: { users }, outbox, mailing }: Given,
  cancel: Actions['cancel'],
) {
  return createDeclarations({
    storage,
    outbox,
    findByEmail: users.findByEmail,
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
}

/** Builds the service of the site's deadlines, and the mails about them. */
function openDeadlines(
  { storage, config, now }: Environment,
  { outbox, mailing }: Given,
  lists: Pick<Parameters<typeof createDeadlines>[0], 'declarations' | 'unusedMoney'>,
) {
  return createDeadlines({
    storage,
    outbox,
    now,
    ...lists,
    message: (deadline, name) =>
      config.operator.email === null
        ? null
        : mailing.ofDeadline(deadline, name, { to: config.operator.email, siteUrl: mailing.siteUrl() }),
  })
}
