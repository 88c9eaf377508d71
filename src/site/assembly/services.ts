import { resolve } from 'node:path'
import { createOutbox } from '../../core/jobs/outbox.ts'
import type { Step } from '../../core/storage/index.ts'
import { createLostDays } from '../../memberships/after-restore/index.ts'
import { createAuditLog } from '../../memberships/audit-log/index.ts'
import { createCustomers, createMissingCustomers, createPaying } from '../../memberships/checkout/index.ts'
import { createDomainEvents } from '../../memberships/domain-events.ts'
import { createFeeds, createFiles } from '../../memberships/downloads/index.ts'
import { putOffsIn } from '../../memberships/gifts/index.ts'
import { createGroups } from '../../memberships/groups/index.ts'
import {
  createHooks,
  createNotifier,
  createReceivers,
  createStoreWriter,
  isForReceiver,
} from '../../memberships/hooks/index.ts'
import { createLedger, createSoldTerms } from '../../memberships/ledger/index.ts'
import { createLimits } from '../../memberships/limits/index.ts'
import type { CheckGate, User } from '../../memberships/members/index.ts'
import type { Alert } from '../../memberships/monitoring/index.ts'
import { deliveries, reactions } from '../../memberships/reactions.ts'
import { createCalifornia } from '../../memberships/shop/index.ts'
import { createChanges, offers } from '../../memberships/subscriptions/index.ts'
import { openAccessUpgrade } from '../../memberships/upgrade/index.ts'
import { providerAt } from '../../memberships/verification/index.ts'
import { mountReports } from '../../reports/mount.ts'
import { neighboursOn } from './doors.ts'
import { createFoundation, type Environment, type Foundation, trustedSince } from './environment.ts'
import { bookkeepingOf, ledgerOn } from './ledger-settings.ts'
import { createMailing } from './mailing.ts'
import {
  createAccountServices,
  createLoginLinks,
  createMemberServices,
  createSessionServices,
} from './member-services.ts'
import { createPurchaseServices } from './purchase-services.ts'
import { createMonitoringServices, createReceivingServices } from './sync-services.ts'

/**
 * Builds the services of one instance in phases: stored facts, members, mails, accounts and purchases, then
 * notifications. Each service gets only those built before it. A service that must hear of later changes
 * subscribes to the domain events, or handles outbox messages.
 */
export async function createServices(environment: Environment) {
  const { options, config, storage, now, log, randomId } = environment
  const foundation = createFoundation(environment)
  const { configured, providers, tokens, catalogue } = foundation
  const events = createDomainEvents()
  const outbox = createOutbox({
    storage,
    now,
    log,
    retries: config.webhooks.retries,
    decidesItself: isForReceiver,
  })

  // Facts: what providers report, and what the site asks them.
  const settings = bookkeepingOf(environment, configured, catalogue)
  const ledger = createLedger({
    storage,
    neighbours: neighboursOn(storage),
    ...settings,
    canFetch: (key, account) => providerAt(providers, key, account)?.fetch !== undefined,
    completes: (key, account) => offers(providerAt(providers, key, account), 'complete'),
    isSignedIntent: (text) => tokens.isSignedIntent(text),
    reports: environment.notifiedSince !== null,
    onCheckout: (settled, origin) => events.stepsOf('checkout.settled', settled, origin),
    onPayment: (payment, origin) => events.stepsOf('payment.changed', payment, origin),
    onDispute: (dispute, origin) => events.stepsOf('payment.disputed', dispute, origin),
    onEnded: (ended) => events.stepsOf('subscription.ended', ended),
    onPayer: (change, origin) => events.stepsOf('payer.changed', change, origin),
  })
  const soldTerms = createSoldTerms({
    storage,
    sold: catalogue.sold,
    readProviders: () => [...providers.keys()].filter((key) => catalogue.isRead(key)),
  })
  const auditLog = createAuditLog({ storage, now, randomId })
  const california = createCalifornia({ storage, setting: config.shop.california, now })
  const changes = createChanges({ storage, ledger, providers, auditLog, now, randomId, log })

  // Members: their identity and their logins.
  const upgrade = await openAccessUpgrade(storage)
  const members = createMemberServices(environment, {
    ledger,
    changes,
    providers,
    catalogue,
    events,
    upgrade,
  })
  const { users, trials, rules, checkGate, checkLimit, proving, newMember } = members
  const findMember = users.findById
  const browser = createSessionServices(environment, tokens)
  const groups = createGroups({
    storage,
    ledger,
    outbox,
    tokens,
    users,
    now,
    randomId,
    log,
    catalogue,
    rules,
    places: () =>
      [...configured].flatMap(([provider, { secrets }]) =>
        ['', ...secrets.map(({ label }) => label)].map((place) => ({ provider, account: place })),
      ),
    isLost: createLostDays(storage).include,
  })
  const { isOpenSeat } = groups
  const links = createLoginLinks(environment, { users, proving, newMember, tokens, outbox, isOpenSeat })
  const paying = createPaying({ tokens, providers, findMember, notePayPage: ledger.notePayPage })

  // Mails, hooks, the host's own user store, and alerts.
  const mailing = createMailing({
    environment,
    foundation,
    users,
    trials,
    switchedMembers: members.switchedMembers,
    linkOf: links.mailOf,
    isPutOff: putOffsIn(storage),
    payToken: paying.tokenOf,
  })
  const hooks = createHooks(options.hooks ?? {}, users)
  const receivers = createReceivers(config.notify, { users, storage, now })
  const store = storeWriterOf(environment, findMember)
  const monitoring = createMonitoringServices(environment, {
    configured,
    mailing,
    outbox,
    givenUp: receivers.givenUp,
  })
  const notifier = createNotifier({
    storage,
    users,
    ledger,
    outbox,
    now,
    log,
    consumers: [
      ...(hooks.tells ? [hooks.consumer] : []),
      ...(receivers.isAsked ? [receivers.consumer] : []),
      ...(mailing.notices ? [mailing.notices.consumer] : []),
      ...(store ? [store.consumer] : []),
    ],
    ahead: { trialDays: config.mails.trial_days, renewalDays: config.mails.renewal_days },
    yearly: california,
    since: environment.notifiedSince ?? now().toISOString(),
    trustedSince: (stored) => trustedSince(storage, stored, environment),
  })

  // Accounts, webhooks and purchases.
  const { unlessMissing, forLiving } = createMissingCustomers({ storage, ledger, providers, users })
  const customers = createCustomers({
    storage,
    outbox,
    ledger,
    changes,
    providers,
    unlessMissing,
    findMember,
    randomId,
  })
  const account = createAccountServices(environment, {
    foundation,
    members,
    outbox,
    ledger,
    changes,
    auditLog,
    mailing,
    unlessMissing,
    customers,
    ownerLeaves: groups.ownerLeaves,
    departures: {
      findMember,
      departed: users.departed,
      since: environment.notifiedSince ?? now().toISOString(),
      announce: (changes) =>
        outbox.steps([hooks.consumer, receivers.consumer].flatMap((consumer) => consumer(changes))),
    },
    hostEvents: (member) => store?.deletionMessages(member) ?? [],
  })
  const receiving = createReceivingServices(environment, {
    ledger,
    configured,
    providers,
    findMember,
    rules,
    events,
    changes,
    california,
    watch: monitoring,
    plans: catalogue.all,
    ledgerOn: ledgerOn(settings),
    learnPrices: catalogue.refresh,
  })
  const purchases = createPurchaseServices(environment, {
    foundation,
    members,
    ledger,
    changes,
    hooks,
    outbox,
    mailing,
    auditLog,
    california,
    events,
    forLiving,
    turn: receiving.turn,
  })
  const limits = createLimits({
    storage,
    now,
    randomId,
    log,
    plans: catalogue.all,
    findMember: users.findExisting,
    tell:
      hooks.tellsOfLimits || receivers.isAsked
        ? (notice) => outbox.steps([...hooks.limitMessages(notice), ...receivers.limitMessages(notice)])
        : null,
  })
  const downloads = openDownloads(environment, {
    tokens,
    limits,
    checkGate,
    checkLimit,
    isLocked: account.deletions.isLocked,
    findMember: users.findExisting,
    siteUrl: mailing.siteUrl,
    tellOnce: monitoring.tellOnce,
  })
  const reports = await openIndex(environment, { ...foundation, secure: browser.secure })

  // What follows each fact, and who delivers the messages of it.
  const { gifts, codes, unusedMoney, raises } = purchases
  const { newcomers } = browser
  reactions({ events, outbox, mailing, trials, newcomers, groups, gifts, unusedMoney, monitoring, now })
  deliveries({
    outbox,
    hooks,
    receivers,
    store,
    customers,
    trials,
    groups,
    purchases,
    monitoring,
    loginDeletions: account.loginDeletions,
    mails: mailing.notices ? [mailing.notices.handlers, account.mailHandlers] : [],
    letters: [
      mailing.groupHandlers({ tokens, users, groups }),
      mailing.giftHandlers({ codes, users }),
      mailing.raiseHandlers({ raises, tokens }),
    ],
  })

  return {
    ...foundation,
    hooks,
    mailing,
    ledger,
    changes,
    users,
    rules,
    checkGate,
    checkLimit,
    limits,
    trials,
    switchedMembers: members.switchedMembers,
    links,
    paying,
    outbox,
    customers,
    groups,
    accessUpgrade: members.accessUpgrade,
    soldTerms,
    downloads,
    notifier,
    receivers,
    reports,
    ...browser,
    ...account,
    ...receiving,
    ...monitoring,
    ...purchases,
  }
}
export type Services = Awaited<ReturnType<typeof createServices>>

/** Builds private feeds and files. */
function openDownloads(
  { config, addresses, options, root, storage, now, randomId, log }: Environment,
  given: Pick<Foundation, 'tokens'> & {
    limits: ReturnType<typeof createLimits>
    checkGate: CheckGate
    checkLimit: CheckGate
    isLocked: (memberId: string) => Promise<boolean>
    findMember: (id: string) => Promise<User | null>
    siteUrl: () => string
    tellOnce: (alert: Alert) => readonly Step[]
  },
) {
  const { tokens, isLocked, findMember } = given
  const { folder, accel } = config.files
  return {
    files: createFiles({
      storage,
      tokens,
      limits: given.limits,
      now,
      isLocked,
      findMember,
      accel,
      checkGate: given.checkGate,
      checkLimit: given.checkLimit,
      siteUrl: config.url ?? addresses.base,
      folder: folder === null ? null : resolve(root === false ? '.' : root, folder),
      presign: options.files?.presign ?? null,
    }),
    feeds: createFeeds({
      storage,
      tokens,
      now,
      randomId,
      log,
      isLocked,
      findMember,
      siteUrl: given.siteUrl,
      handlers: options.feeds ?? {},
      clients: config.feeds.clients,
      trustProxy: config.ratelimit.trust_proxy,
      tellShared: ({ path, memberId, clients, at }) =>
        given.tellOnce({
          id: `feed_shared ${path} ${memberId}`,
          kind: 'feed_shared',
          state: 'begun',
          since: at,
          at,
          provider: path,
          account: memberId,
          message: `${clients} clients used the address of ${path} that belongs to member ${memberId} in one day.`,
          action: `Give the member a new address: membership feeds revoke ${memberId} --path ${path}`,
        }),
    }),
  }
}

/** Builds the writer that keeps a site's own user store in sync; null if the site uses ours. */
function storeWriterOf({ options, config }: Environment, findMember: (id: string) => Promise<User | null>) {
  return options.userStore
    ? createStoreWriter({
        store: options.userStore,
        findMember,
        fieldOf: (provider) => config.providers[provider]?.field ?? provider,
      })
    : null
}

function openIndex(
  { config, addresses, storage, counters, options, root, now, randomId, log }: Environment,
  {
    render,
    tokens,
    site,
    secure,
  }: Pick<Foundation, 'render' | 'tokens' | 'site'> &
    Pick<ReturnType<typeof createSessionServices>, 'secure'>,
) {
  return mountReports({
    config,
    addresses,
    storage,
    counters,
    render,
    tokens,
    secure,
    siteName: site,
    now,
    randomId,
    log,
    options: options.reports ?? {},
    root: root === false ? null : root,
  })
}
