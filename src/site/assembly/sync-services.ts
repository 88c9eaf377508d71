import { setTimeout as sleep } from 'node:timers/promises'
import type { AccessRules } from '../../core/access/index.ts'
import type { Plan } from '../../core/dto/index.ts'
import { createRateLimit } from '../../core/http/rate-limit.ts'
import { createReputation, type Proof } from '../../core/http/reputation.ts'
import type { Handlers, Message, Outbox } from '../../core/jobs/outbox.ts'
import { createRounds } from '../../core/jobs/rounds.ts'
import { createDocuments, createLeaving, type Leaving, type Storage } from '../../core/storage/index.ts'
import { oldLinks } from '../../memberships/account/index.ts'
import {
  createProofs,
  doneIntents,
  oldProofs,
  type ProofsDeps,
  unpaidIntents,
} from '../../memberships/checkout/index.ts'
import type { EventList } from '../../memberships/domain-events.ts'
import { unpaidGifts } from '../../memberships/gifts/index.ts'
import { createImport } from '../../memberships/import/index.ts'
import { createForgetting, type Ledger } from '../../memberships/ledger/index.ts'
import { oldLimitKeys } from '../../memberships/limits/index.ts'
import { oldSentMails } from '../../memberships/mails/index.ts'
import { oldSessions, type User } from '../../memberships/members/index.ts'
import {
  type Alert,
  createClockWatch,
  createDeliveries,
  createHealth,
  createTroubles,
  createWatch,
  type GivenUp,
  type Troubles,
} from '../../memberships/monitoring/index.ts'
import { type Changes, oldChangeRequests } from '../../memberships/subscriptions/index.ts'
import {
  askedPlaces,
  createAcknowledging,
  createBudget,
  createCompare,
  createCompareLimit,
  createConnect,
  createEndpointChecks,
  createFetches,
  createForeign,
  createKeepingUp,
  createOverdue,
  createReconsidering,
  createUnassigned,
  type KeepingUpDeps,
  shares,
} from '../../memberships/sync/index.ts'
import { oldMarks } from '../../memberships/trials/index.ts'
import {
  createEventDoor,
  createInbox,
  createPings,
  createPull,
  createReceive,
} from '../../memberships/webhooks/index.ts'
import type { ConfiguredProvider } from '../../providers/configured.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { Environment } from './environment.ts'
import { livemodeIn } from './ledger-settings.ts'
import type { Mailing } from './mailing.ts'

interface Given {
  readonly ledger: Ledger
  /** Builds a ledger on another database, with the rules of this site. */
  readonly ledgerOn: (storage: Storage) => Ledger
  readonly configured: ReadonlyMap<string, ConfiguredProvider>
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly findMember: (id: string) => Promise<User | null>
  readonly events: Pick<EventList, 'stepsOf'>
  readonly rules: Omit<AccessRules, 'plans'>
  readonly watch: Pick<MonitoringServices, 'troubles' | 'deliveries'>
  readonly plans: () => readonly Plan[]
  readonly changes: Pick<Changes, 'ask'>
  readonly california: ProofsDeps['california']
  readonly learnPrices: (provider: string) => Promise<void>
}

/** Builds the services that receive webhook events, fetch what events leave open, and delete old rows. */
export function createReceivingServices(environment: Environment, given: Given) {
  const { storage, counters, config, now, log } = environment
  const { ledger, configured, providers, findMember, rules, watch } = given
  const { retries, keep_bodies_days: keepBodiesDays } = config.webhooks
  const inbox = createInbox({ storage, ledger, providers: configured, now, log, retries, keepBodiesDays })
  const ratelimit = createRateLimit({ limit: config.ratelimit.limit, counters })
  const senders = createDocuments(storage, 'senders')
  const reputation = createReputation(ratelimit, {
    now,
    store: {
      list: () => senders.list<Proof>(''),
      put: (proof) => senders.put(proof.address, proof),
      remove: senders.remove,
    },
  })
  const pull = createPull({ storage, inbox })
  // The prices decide which purchases are this site's, so they are read before any is listed. Without them, purchases wait.
  const learnPrices = async (provider: string): Promise<void> => {
    if (ledger.shopOf(provider).isOpen) await given.learnPrices(provider).catch(() => undefined)
  }
  const pings = createPings({ storage, ledger, reputation, now })
  const asking = createAskingServices(environment, {
    ledger,
    configured,
    providers,
    pull,
    rules,
    learnPrices,
    notice: watch.troubles.set,
    lastDelivery: (place) => watch.deliveries.lastOf(place.key, place.account),
  })
  return {
    inbox,
    ratelimit,
    receive: createReceive({ inbox, pings, isProven: reputation.isProven, note: watch.deliveries.note, now }),
    fetches: createFetches({
      storage,
      ledger,
      providers,
      reputation,
      now,
      log,
      acknowledge: createAcknowledging({ changes: given.changes, notice: watch.troubles.set, now }),
    }),
    pull,
    connect: createConnect({
      providers,
      changes: given.changes,
      randomId: environment.randomId,
      siteUrl: config.url,
    }),
    ...asking,
    importing: openImport(environment, { ...given, learnPrices }, asking.turnByHand),
    unassigned: createUnassigned({
      ...environment,
      ledger,
      findMember,
      tell: (payment) => given.events.stepsOf('payment.unassigned', payment),
    }),
    foreign: createForeign({
      storage,
      ledger,
      now,
      shopOf: ledger.shopOf,
      providers: [...configured.keys()],
    }),
    forgetting: createForgetting({
      storage,
      ledger,
      events: createEventDoor(storage),
      providers: [...configured.keys()],
      now,
    }),
    reconsidering: createReconsidering({
      storage,
      ledger,
      now,
      shopOf: ledger.shopOf,
      providers: [...configured.keys()],
    }),
    letGo: createLettingGo({ storage, now, keepBodiesDays, california: given.california }),
  }
}

function openImport(
  environment: Environment,
  { ledger, ledgerOn, configured, providers, plans, learnPrices }: Given,
  turn: (place: { key: string; account: string }) => Promise<void>,
) {
  return createImport({
    ...environment,
    ledger,
    ledgerOn,
    providers,
    plans,
    turn,
    learnPrices,
    livemode: livemodeIn(configured),
    defaultRole: environment.config.members.roles[0] ?? 'member',
  })
}

type AskingGiven = Pick<KeepingUpDeps, 'pull' | 'lastDelivery'> & {
  readonly notice: Troubles['set']
  readonly ledger: Ledger
  readonly configured: ReadonlyMap<string, ConfiguredProvider>
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly rules: Omit<AccessRules, 'plans'>
  readonly learnPrices: (provider: string) => Promise<void>
}

/**
 * Builds the services that ask providers, on demand and in the background. They set the rate, and choose the
 * process that asks.
 */
export function createAskingServices(environment: Environment, given: AskingGiven) {
  const { storage, config, now, log } = environment
  const { ledger, configured, providers, rules } = given
  const finish = new AbortController()
  const budget = openBudget(environment, configured, finish.signal)
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
    learnPrices: given.learnPrices,
    now,
  })
  const places = askedPlaces(providers, (key) => configured.get(key)?.isHere ?? false)
  const unlisted = [...new Set(places.flatMap(({ key, provider }) => (provider.list ? [] : [key])))]
  const keepingUp = createKeepingUp({
    ...given,
    places,
    rounds,
    budget,
    guards,
    now,
    comparePlace: ofPlace,
    finish: finish.signal,
  })
  return {
    compare,
    keepingUp,
    overdue: createOverdue({ storage, ledger, rounds, unlisted, turn, now, log }),
    endpoints: createEndpointChecks({
      places,
      rounds,
      budget,
      notice: given.notice,
      siteUrl: config.url,
      base: config.base_path,
    }),
    rounds,
    turn,
    turnByHand: (place: { key: string; account: string }) => budget.turn(place, shares.byHand),
    countCompare: createCompareLimit({ storage, now }),
    /** Stops asking. The next process continues. */
    stopAsking: () => finish.abort(),
  }
}

function openBudget(
  { storage, options, now }: Environment,
  configured: AskingGiven['configured'],
  finish: AbortSignal,
) {
  return createBudget({
    storage,
    rates: new Map([...configured].flatMap(([key, { rate }]) => (rate === null ? [] : [[key, rate]]))),
    livemode: livemodeIn(configured),
    now,
    // A given clock is moved by its owner, so nothing waits for it here.
    wait: options.now ? async () => undefined : (ms) => sleep(ms, undefined, { signal: finish }),
  })
}

/** Notices when webhook events stay away, and alerts the operator. */
export function createMonitoringServices(
  { storage, options, config, now, log }: Environment,
  given: {
    configured: ReadonlyMap<string, ConfiguredProvider>
    mailing: Pick<Mailing, 'notices'>
    outbox: Pick<Outbox, 'steps'>
    givenUp: () => Promise<readonly GivenUp[]>
  },
) {
  const { configured, mailing, outbox, givenUp } = given
  const { onAlert } = options
  const { email } = config.operator
  if (email !== null && mailing.notices === null)
    log('membership.operator.email is set, but this site sends no mails: give mails: { transport }')

  const messagesOf = (alert: Alert): Message[] => {
    const name = `alert:${alert.id}:${alert.since}:${alert.state}`
    const lane = `alert:${alert.id}`
    const mail = mailing.notices?.directMessage(name, 'operator-alert', {
      to: email ?? '',
      name: null,
      language: null,
      data: mailOf(alert),
    })
    return [
      ...(onAlert ? [{ id: name, lane, kind: 'alert', payload: alert }] : []),
      ...(mail && email !== null ? [mail] : []),
    ]
  }
  const tell = (alert: Alert) => {
    log(alert.state === 'begun' ? alert.message : `over: ${alert.message}`, {
      kind: alert.kind,
      since: alert.since,
    })
    return outbox.steps(messagesOf(alert))
  }
  const alertHandlers: Handlers = onAlert
    ? { alert: async ({ payload }) => void (await onAlert(payload as Alert)) }
    : {}
  const deliveries = createDeliveries(storage, now)
  const troubles = createTroubles({ storage, tell, now })
  const isWatched = (key: string) => configured.get(key)?.isHere === false
  // A given clock, as in tests, may differ from real time without being wrong.
  const clock = createClockWatch({ storage, now: options.now ? () => new Date() : now, log })
  return {
    deliveries,
    troubles,
    watch: createWatch({ deliveries, troubles, isWatched, givenUp, now }),
    alertHandlers,
    /** Steps that tell the operator of an event that is no lasting problem. */
    tellOnce: (alert: Alert) => tell(alert),
    clock,
    health: createHealth({ deliveries, troubles, clock, isWatched, now }),
  }
}
export type MonitoringServices = ReturnType<typeof createMonitoringServices>

function mailOf({ state, provider, message, action }: Alert) {
  return {
    isOver: state === 'over',
    provider,
    message,
    action,
  }
}

const orderDays = 760

/** Rows to delete, with the number of days to keep them. */
function whatLeaves(keepBodiesDays: number): readonly { readonly rows: Leaving; readonly days: number }[] {
  return [
    { rows: oldSessions, days: 1 },
    { rows: oldLinks, days: 7 },
    // A repeated key takes nothing again for this time.
    { rows: oldLimitKeys, days: 30 },
    // A bank takes at most three weeks. An event can be applied again as long as its body is kept.
    { rows: unpaidIntents, days: Math.max(90, keepBodiesDays) },
    { rows: unpaidGifts, days: Math.max(90, keepBodiesDays) },
    // Both questions about earlier purchases need these rows: the browser cookie lives a year, and trials count
    // two.
    { rows: doneIntents, days: orderDays },
    // They say themselves until when they are kept.
    { rows: oldProofs, days: 0 },
    // Lets staff answer for a year which mails were sent.
    { rows: oldSentMails, days: 365 },
    // Kept as long as purchases.
    { rows: oldChangeRequests, days: 760 },
    // Two years, as docs/privacy.md promises.
    { rows: oldMarks, days: 730 },
  ]
}

/** Deletes rows that are past their retention time. */
export function createLettingGo(deps: {
  storage: Storage
  now: () => Date
  keepBodiesDays: number
  california: ProofsDeps['california']
}) {
  const { storage, now, keepBodiesDays } = deps
  const all = whatLeaves(keepBodiesDays).map(({ rows, days }) => ({
    leave: createLeaving(storage, rows),
    days,
  }))
  const proofs = createProofs(deps)
  return async (): Promise<void> => {
    await proofs.beforeOrdersLeave(new Date(now().getTime() - orderDays * 86_400_000).toISOString())
    await proofs.noteEnds(now().toISOString())
    for (const { leave, days } of all)
      await leave(new Date(now().getTime() - days * 86_400_000).toISOString())
  }
}
