import { createOutbox, type Handlers } from '../../core/jobs/outbox.ts'
import { createDeeds } from '../../memberships/audit-log/index.ts'
import { createCustomers, createGone, createPaying } from '../../memberships/checkout/index.ts'
import { createHooks, createStoreWriter, createTeller } from '../../memberships/hooks/index.ts'
import { createLedger } from '../../memberships/ledger/index.ts'
import type { User } from '../../memberships/members/index.ts'
import { createChanges, offers } from '../../memberships/subscriptions/index.ts'
import type { SwitchNews } from '../../memberships/switching/requests.ts'
import { providerAt } from '../../memberships/verification/provider-at.ts'
import { mountReports } from '../../reports/mount.ts'
import { createFoundation, type Environment, type Foundation } from './environment.ts'
import { bookkeepingOf, ledgerOn } from './ledger-settings.ts'
import { createMailing } from './mailing.ts'
import { createAccountServices, createMemberServices, createSessionServices } from './member-services.ts'
import { createPurchaseServices } from './purchase-services.ts'
import { createMonitoringServices, createReceivingServices } from './sync-services.ts'

/** Builds the services of one instance from the ground up, each given what it needs. What a room needs of a later one it
 *  asks when it is used. */
export const createServices = async (environment: Environment) => {
  const { options, config, storage, now, log, randomId } = environment
  const foundation = createFoundation(environment)
  const { configured, providers, tokens, words, catalogue } = foundation
  const findMember = (id: string): Promise<User | null> => members.users.findById(id)
  const hooks = createHooks(options.hooks ?? {}, { findById: findMember })
  const mailing = createMailing({
    environment,
    ...foundation,
    findMember,
    linkOf: (id, url) => account.links.mailOf(id, url),
    wasEndedTrial: (subscription) => members.trials.wasEnded(subscription),
    isSwitching: (subscription) => members.leavers.isSwitching(subscription),
    findGrant: (id) => members.users.findGrant(id),
    payToken: (member, about) => paying.tokenOf(member, about),
  })
  const store = storeWriterOf(environment, findMember)
  const watching = createMonitoringServices(environment, { configured, mailing, outbox: () => outbox })
  const browser = createSessionServices(environment, tokens)

  const bookkeeping = bookkeepingOf(environment, configured)
  const ledger = createLedger({
    storage,
    ...bookkeeping,
    canFetch: (key, account) => providerAt(providers, key, account)?.fetch !== undefined,
    completes: (key, account) => offers(providerAt(providers, key, account), 'complete'),
    isSignedIntent: (text) => tokens.isSignedIntent(text),
    tells: environment.toldSince !== null,
    tellOfCheckout: (settled, origin) => [
      ...(origin.isQuiet
        ? []
        : outbox.steps([
            ...mailing.ofCheckout(settled),
            ...members.trials.messageOfCheckout(settled, origin),
          ])),
      ...browser.newcomers.yieldTo(settled),
      ...browser.newcomers.speakTo(settled),
    ],
    tellOfPaying: (change, origin) =>
      origin.isQuiet ? [] : outbox.steps(members.trials.messagesOf(change, origin)),
  })
  const deeds = createDeeds({ storage, now, randomId })
  const changes = createChanges({ storage, ledger, providers, deeds, now, randomId, log })
  const members = createMemberServices(environment, {
    ...{ ledger, changes, providers, catalogue, mailing, findMember },
    outbox: () => outbox,
  })
  const { users, trials, leavers, rules } = members
  const paying = createPaying({ tokens, providers, findMember })
  const outbox = createOutbox({
    ...{ storage, now, log, retries: config.webhooks.retries },
    handlers: (): Handlers => ({
      ...(hooks.tells ? hooks.handlers : {}),
      ...(mailing.notices ? { ...mailing.notices.handlers, ...account.mailHandlers } : {}),
      ...store?.handlers,
      ...customers.handlers,
      ...trials.handlers,
      ...purchases.declarations.handlers,
      ...watching.alertHandlers,
    }),
  })
  const { unlessGone, forLiving } = createGone({ storage, ledger, providers, users })
  const customers = createCustomers({
    ...{ storage, outbox, ledger, changes, providers, unlessGone, findMember, randomId },
  })
  const teller = createTeller({
    ...{ storage, users, ledger, outbox, now, log },
    consumers: [
      ...(hooks.tells ? [hooks.consumer] : []),
      ...(mailing.notices ? [mailing.notices.consumer] : []),
      ...(store ? [store.consumer] : []),
    ],
    ahead: { trialDays: config.mails.trial_days, renewalDays: config.mails.renewal_days },
    since: environment.toldSince ?? now().toISOString(),
  })

  const account = createAccountServices(environment, {
    ...{
      tokens,
      outbox,
      plans: catalogue.all,
      users,
      ledger,
      changes,
      deeds,
      mailing,
      providers,
      unlessGone,
      leavers,
    },
    proving: members.proving,
    newMember: members.newMember,
    addressChanged: (user, data) => [...customers.messages(user, data), trials.messageOfMember(user.id)],
    rememberTrials: trials.remember,
    tellHost: (member) => store?.deletionMessages(member) ?? [],
    accountsOf: (provider) => (configured.get(provider)?.secrets ?? []).map(({ label }) => label),
  })
  const receiving = createReceivingServices(environment, {
    ...{ ledger, configured, providers, findMember, rules, plans: catalogue.all, watch: watching },
    ledgerOn: ledgerOn(bookkeeping),
    tellUnassigned: (one) => outbox.steps(mailing.ofUnassigned(one)),
  })
  const purchases = createPurchaseServices(environment, {
    ...{ ledger, changes, hooks, providers, catalogue, trials, forLiving, findMember, leavers },
    signIntent: tokens.signIntent,
    turn: receiving.turn,
    declaring: { outbox: () => outbox, mailing, findByEmail: users.findByEmail, words },
    tellOfSwitch: (news: SwitchNews) => outbox.steps(mailing.ofSwitch(news)),
  })
  const reports = await openIndex(environment, { ...foundation, secure: browser.secure })
  return {
    ...foundation,
    ...{ hooks, mailing, ledger, users, trials, leavers, paying, outbox, customers, teller, reports },
    ...browser,
    ...account,
    ...receiving,
    ...watching,
    ...purchases,
  }
}
export type Services = Awaited<ReturnType<typeof createServices>>

/** What keeps the users of a site's own store in step; null where they are ours. */
const storeWriterOf = ({ options, config }: Environment, findMember: (id: string) => Promise<User | null>) =>
  options.userStore
    ? createStoreWriter({
        store: options.userStore,
        findMember,
        fieldOf: (provider) => config.providers[provider]?.field ?? provider,
      })
    : null

const openIndex = (
  { config, storage, counters, options, root, now, randomId, log }: Environment,
  {
    render,
    tokens,
    site,
    secure,
  }: Pick<Foundation, 'render' | 'tokens' | 'site'> &
    Pick<ReturnType<typeof createSessionServices>, 'secure'>,
) =>
  mountReports({
    ...{ config, storage, counters, render, tokens, secure, siteName: site, now, randomId, log },
    options: options.reports ?? {},
    root: root === false ? null : root,
  })
