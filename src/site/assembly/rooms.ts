import type { Context } from 'koa'
import { moneyWriter } from '../../core/dto/index.ts'
import { createTokens } from '../../core/http/tokens.ts'
import { createOutbox } from '../../core/jobs/outbox.ts'
import { createWords } from '../../core/words/index.ts'
import { createCatalogue } from '../../memberships/catalogue/index.ts'
import {
  createCustomers,
  createGone,
  createNewcomers,
  createPaying,
} from '../../memberships/checkout/index.ts'
import { createHooks, createStoreWriter, createTeller } from '../../memberships/hooks/index.ts'
import { providerAt } from '../../memberships/intake/provider-at.ts'
import { createLedger } from '../../memberships/ledger/index.ts'
import {
  createProving,
  createSaying,
  createSessions,
  createUsers,
  newRow,
  type User,
} from '../../memberships/members/index.ts'
import { createLeavers } from '../../memberships/switching/leavers.ts'
import type { SwitchNews } from '../../memberships/switching/requests.ts'
import { createTrials } from '../../memberships/trials/index.ts'
import { configuredProviders } from '../../providers/configured.ts'
import type { Provider } from '../../providers/contract.ts'
import { digitsOf } from '../../providers/registry.ts'
import { mountReports } from '../../reports/mount.ts'
import { createPageRender } from '../pages/index.ts'
import { createAccountRooms } from './account-rooms.ts'
import { bookkeepingOf, ledgerOn } from './bookkeeping.ts'
import type { Ground } from './ground.ts'
import { lazyTokens } from './lazy-tokens.ts'
import { createMailing } from './mailing.ts'
import { rulesOf } from './member-rules.ts'
import { createPurchaseRooms } from './purchase-rooms.ts'
import { createReceivingRooms } from './receiving-rooms.ts'
import { siteNameOf } from './site-name.ts'
import { createWatchRooms } from './watch-rooms.ts'

/** Builds the rooms of one instance from the ground up, each given what it needs. */
export const createRooms = async (ground: Ground) => {
  const { options, config, storage, now, log, randomId, root, definitions, secrets, isProduction } = ground
  const configured = configuredProviders({
    config,
    definitions,
    storage,
    now,
    randomId,
    log,
    secret: () => secrets()[0]!,
    isProduction,
  })
  const money = moneyWriter(digitsOf(definitions))
  const providers = new Map<string, Provider>([...configured].map(([key, { provider }]) => [key, provider]))
  const tokens = lazyTokens(() => createTokens(secrets(), now))
  const site = siteNameOf(ground)
  const words = createWords({ root, defaultLanguage: config.language, site, money })
  const { render, pages } = createPageRender({ root, isProduction, config })
  const catalogue = createCatalogue({ storage, config, providers, now, log })
  const findMember = (id: string): Promise<User | null> => users.findById(id)
  const hooks = createHooks(options.hooks ?? {}, { findById: findMember })
  const mailing = createMailing({
    ground,
    render,
    words,
    catalogue,
    money,
    findMember,
    linkOf: (id, url) => links.mailOf(id, url),
    wasEndedTrial: (subscription) => trials.wasEnded(subscription),
    isSwitching: (subscription) => leavers.isSwitching(subscription),
    findGrant: (id) => users.findGrant(id),
    tokens,
    payToken: (member, about) => paying.tokenOf(member, about),
  })
  const store = options.userStore
    ? createStoreWriter({
        store: options.userStore,
        findMember,
        fieldOf: (provider) => config.providers[provider]?.field ?? provider,
      })
    : null
  const watching = createWatchRooms(ground, { configured, mailing, outbox: () => outbox })
  const consumers = [
    ...(hooks.tells ? [hooks.consumer] : []),
    ...(mailing.notices ? [mailing.notices.consumer] : []),
    ...(store ? [store.consumer] : []),
  ]

  const bookkeeping = bookkeepingOf(ground, configured)
  const ledger = createLedger({
    storage,
    ...bookkeeping,
    canFetch: (key, account) => providerAt(providers, key, account)?.fetch !== undefined,
    completes: (key, account) => providerAt(providers, key, account)?.complete !== undefined,
    isSignedIntent: (text) => tokens.isSignedIntent(text),
    tells: ground.toldSince !== null,
    tellOfCheckout: (settled, { isQuiet }) => [
      ...(isQuiet ? [] : outbox.steps(mailing.ofCheckout(settled))),
      ...newcomers.yieldTo(settled),
      ...newcomers.speakTo(settled),
    ],
    tellOfPaying: (change, origin) => (origin.isQuiet ? [] : outbox.steps(trials.messagesOf(change, origin))),
  })
  const noteChange = (memberId: string) => ledger.noteMember(memberId)
  const proving = createProving({
    storage,
    now,
    noteChange,
    proved: (memberId) => outbox.steps([trials.messageOfMember(memberId)]),
  })
  const leavers = createLeavers({ storage, providers, plans: (key) => catalogue.plans(key), now })
  const trials = createTrials({
    storage,
    ledger,
    providers,
    plans: catalogue.all,
    findMember,
    continues: leavers.continues,
    secrets,
    tell: (ended) => outbox.steps(mailing.ofTrial(ended)),
    now,
    log,
  })
  const defaultRole = config.members.roles[0] ?? 'member'
  const rules = rulesOf(config, catalogue, now)
  const tellOfGrant = (memberId: string, id: string) => outbox.steps(mailing.ofGrant(memberId, id))
  const users = createUsers({ storage, randomId, defaultRole, proving, noteChange, rules, tellOfGrant })
  const paying = createPaying({ tokens, providers, findMember })
  const outbox = createOutbox({
    storage,
    now,
    log,
    retries: config.webhooks.retries,
    handlers: () => ({
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
  const customers = createCustomers({ storage, outbox, ledger, providers, unlessGone, findMember, randomId })
  const teller = createTeller({
    storage,
    users,
    ledger,
    outbox,
    consumers,
    ahead: { trialDays: config.mails.trial_days, renewalDays: config.mails.renewal_days },
    since: ground.toldSince ?? now().toISOString(),
    now,
    log,
  })

  const account = createAccountRooms(ground, {
    tokens,
    outbox,
    plans: catalogue.all,
    users,
    proving,
    newMember: (member) => newRow(member, { id: randomId(), at: now().toISOString(), defaultRole }),
    addressChanged: (user, data) => [...customers.messages(user, data), trials.messageOfMember(user.id)],
    rememberTrials: trials.remember,
    ledger,
    mailing,
    providers,
    unlessGone,
    accountsOf: (provider) => (configured.get(provider)?.secrets ?? []).map(({ label }) => label),
  })
  const { links } = account

  const receiving = createReceivingRooms(ground, {
    ledger,
    ledgerOn: ledgerOn(bookkeeping),
    configured,
    providers,
    findMember,
    tellUnassigned: (one) => outbox.steps(mailing.ofUnassigned(one)),
    rules,
    watch: watching,
    plans: catalogue.all,
  })
  const sold = {
    ledger,
    hooks,
    signIntent: tokens.signIntent,
    providers,
    catalogue,
    trials,
    forLiving,
    findMember,
    turn: receiving.turn,
    declaring: { outbox: () => outbox, mailing, findByEmail: users.findByEmail, words },
    leavers,
    tellOfSwitch: (news: SwitchNews) => outbox.steps(mailing.ofSwitch(news)),
  }
  const purchases = createPurchaseRooms(ground, sold)
  const secure = (ctx: Context) => config.url?.startsWith('https:') ?? ctx.secure
  const sessions = createSessions({ storage, now, randomId, tokens, secure })
  const saying = createSaying({ tokens, secure, randomId })
  const newcomers = createNewcomers({ storage, sessions, now })
  const reports = await mountReports({
    config,
    storage,
    counters: ground.counters,
    options: options.reports ?? {},
    root: root === false ? null : root,
    ...{ render, tokens, secure, siteName: siteNameOf(ground) },
    now,
    randomId,
    log,
  })
  return {
    configured,
    providers,
    tokens,
    render,
    pages,
    words,
    site,
    money,
    catalogue,
    hooks,
    mailing,
    ledger,
    users,
    outbox,
    customers,
    ...account,
    teller,
    ...receiving,
    ...watching,
    trials,
    leavers,
    ...purchases,
    paying,
    sessions,
    saying,
    newcomers,
    reports,
  }
}
export type Rooms = Awaited<ReturnType<typeof createRooms>>
