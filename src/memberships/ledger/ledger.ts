import { setTimeout as pause } from 'node:timers/promises'
import { everything, type Judgement, type Shop, type Standing } from '../../core/access/index.ts'
import { isEnded, msOf, type SubscriptionData, type SubscriptionItem } from '../../core/dto/index.ts'
import type { SoldNow } from '../../core/dto/sold.ts'
import { createKeyedMutex } from '../../core/jobs/keyed-mutex.ts'
import { createRecent } from '../../core/recent.ts'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { Change, CustomerChange, MoneyFact, Ref, SubscriptionChange } from '../../providers/contract.ts'
import { fineMoment, modeOf, normalChanges, normalMoment } from '../verification/index.ts'
import { createAcceptance, type StoredPurchase, subscriptionsIn } from './acceptance.ts'
import type { OwnerRules } from './claims.ts'
import { createCopies } from './copies.ts'
import { createCustomerFacts, type PlannedCustomer } from './customer-facts.ts'
import type { Origin } from './history.ts'
import { createIntents, noSettling, type SettledIntent, type Settling } from './intents.ts'
import { fetchWindowMs } from './message-order.ts'
import type { Neighbours } from './neighbours.ts'
import type { Purchase } from './owner-facts.ts'
import { createOwners, type PlannedOwners } from './owners.ts'
import {
  createPaymentPlanner,
  type PaidOnce,
  type PlannedPayments,
  type SubscriptionPayment,
} from './payments.ts'
import { type LedgerStatements, ledgerStatements } from './statements/index.ts'
import {
  type JudgedFact,
  needsRow,
  overdueSteps,
  type PlannedFact,
  planAmongKnown,
  planJudged,
  planNewest,
  planNewestNamed,
  recurringSteps,
} from './subscriptions.ts'

/** The part that converges: facts, payments and owners. */
export interface Ledger {
  /**
   * Returns the steps that write these changes to the ledger. `blind` reads as little as possible, and its steps may
   * conflict.
   */
  plan(changes: readonly Change[], origin: Origin, mode: 'blind' | 'read'): Promise<Step[]>
  /** Plans and commits, again where a row it read has changed meanwhile. `more` joins the same unit. */
  apply(changes: readonly Change[], origin: Origin, more?: readonly Step[]): Promise<void>
  /**
   * Asks again whether what waits is this site's, after the configuration, the catalogue or a subscription changed. What
   * is accepted now is taken in as if it arrived now.
   */
  reconsider(origin: Origin, waiting: Waiting): Promise<void>
  /**
   * Gives purchases back to the other shop that goes on with them, unless a plan names what they hold now. They make
   * nothing here any more.
   */
  release(
    changes: readonly Change[],
    origin: Origin,
    released: Waiting,
    more?: readonly Step[],
  ): Promise<void>
  /** Judges a stored purchase as if it had not been accepted before, with the prices that it names. */
  judgeStored(
    purchase: StoredPurchase,
    known: ReadonlyMap<string, Judgement>,
  ): Promise<Judgement & { readonly prices: readonly string[] }>
  /** Lists this site's items of a subscription that also has items of another shop; none for any other. */
  ownItemsAt(place: { provider: string; account: string; id: string }): Promise<readonly SubscriptionItem[]>
  /** True if the customer also bought from another shop of the account, as far as that is known. */
  buysElsewhere(customer: { provider: string; account: string; id: string }): Promise<boolean>
  /** Judges a customer by everything that is known of their purchases. */
  standingOf(customer: { provider: string; account: string; id: string }): Promise<Standing>
  /** Returns what the site sells at a provider. */
  shopOf(provider: string): Shop
  /** Judges a subscription that a provider lists, with the site that it names, without writing anything. */
  judge(
    change: SubscriptionChange,
    place: { provider: string; account: string },
  ): Promise<Judgement & { readonly site: string | null }>
  /** Tells whether a stored subscription or payment is this site's: all of it, a part of it, or nothing. */
  standingAt(purchase: StoredPurchase): Promise<'own' | 'mixed' | 'foreign'>
  /** Queues a notification about a changed member. Without hooks, mails or a user store there are no steps. */
  noteMember(memberId: string, note?: { dueAt?: string; isKnown?: boolean }): Step[]
  /** Queues a fetch of an object, so that it happens even if the call about to be made fails. */
  requestFetch(origin: { provider: string; account: string }, ref: Ref, dueAt: string): Step[]
  /** Notes that the member opens the page that pays an overdue invoice. A payment must not wait for it, so it never fails. */
  notePayPage(place: { provider: string; account: string; id: string }): Promise<void>
  readonly statements: LedgerStatements
  /** The doors that it asks. */
  readonly neighbours: Neighbours
}

export interface LedgerDeps {
  readonly storage: Storage
  readonly neighbours: Neighbours
  readonly rules: OwnerRules
  readonly now: () => Date
  readonly randomId: () => string
  /** True if this provider's objects can be fetched. */
  readonly canFetch: (provider: string, account: string) => boolean
  /** True if this provider needs a further call after a checkout's buyer agreed. */
  readonly completes?: (provider: string, account: string) => boolean
  /** True if this provider keeps one customer per address, whoever typed the address. */
  readonly sharesCustomers?: (provider: string) => boolean
  /** True if this provider's customer ids name members. */
  readonly namesMembers?: (provider: string) => boolean
  /** True if the id is a purchase's id with this site's signature. */
  readonly isSignedIntent?: (text: string) => boolean
  /** The configured mode, for providers whose events do not state it; null means test mode. */
  readonly livemode?: (provider: string) => boolean | null
  /** What the site sells at a provider. Default: everything of its account. */
  readonly shopOf?: (provider: string) => Shop
  /** The terms under which the site sells a price now. Default: none are stored. */
  readonly sold?: SoldNow
  /** True if the terms of each month are kept, from which the office counts MRR by month. */
  readonly keepsMonths?: boolean
  /** True if hooks, mails or a user store are notified of members' changes. */
  readonly reports: boolean
  /** Queues messages, in the same unit, about a checkout whose outcome is now known. */
  readonly onCheckout?: (settled: SettledIntent, origin: Origin) => readonly Step[]
  /** Queues messages, in the same unit, about a one-time payment. */
  readonly onPayment?: (payment: PaidOnce, origin: Origin) => readonly Step[]
  /** Queues messages, in the same unit, about a subscription's payment that is disputed now. */
  readonly onDispute?: (dispute: SubscriptionPayment, origin: Origin) => readonly Step[]
  /**
   * Queues messages, in the same unit, about a subscription that has ended: it ended now, or a payment arrived. Imports
   * are left out.
   */
  readonly onEnded?: (ended: {
    readonly provider: string
    readonly account: string
    readonly id: string
  }) => readonly Step[]
  /** Queues messages, in the same unit, about a changed subscription or its customer. */
  readonly onPayer?: (change: SubscriptionChange | CustomerChange, origin: Origin) => readonly Step[]
}

/** Stored purchases that are not accepted, by id. */
export interface Waiting {
  readonly subscriptions: readonly string[]
  readonly payments: readonly string[]
  /** True for accepted purchases that are given back to another shop. */
  readonly isReleased?: true
}

const nothingWaits: Waiting = { subscriptions: [], payments: [] }

interface BesideSubscriptions {
  readonly origin: Origin
  readonly mode: 'blind' | 'read'
  readonly settling: Settling
  readonly again: Waiting
}

interface ToJudge {
  readonly change: SubscriptionChange | null
  readonly id: string
  readonly origin: Origin
  readonly isNewest: boolean
  readonly own: ReadonlySet<string>
  readonly again: Waiting
}

function standingsOf(judged: ReadonlyMap<string, JudgedFact>): readonly Standing[] {
  return [...judged.values()].map(({ standing }) => standing)
}

function subscriptionsNamed(checkout: MoneyFact): readonly string[] {
  return subscriptionsIn([{ role: 'checkout', at: '', data: checkout }])
}

const noOwners: PlannedOwners = { steps: [], members: new Map(), losers: [], nameless: [], forgotten: [] }

// Each conflict needs another writer. This many in a row mean that something else is wrong.
const maxTries = 50

function payPageNotes({
  storage,
  statements,
  now,
}: Pick<LedgerDeps, 'storage' | 'now'> & { statements: LedgerStatements }): Ledger['notePayPage'] {
  return async ({ provider, account, id }) => {
    const at = now().toISOString()
    const row = { provider, account, subscription_id: id, at, pay_page_at: at }
    await storage.commit([step(statements.payPageOpened, row)]).catch(() => undefined)
  }
}

/**
 * Creates the ledger. Within one process, changes of one customer run one after the other. A unit that another writer
 * overtakes is planned again; after 50 tries its conflict is thrown.
 */
export function createLedger(deps: LedgerDeps): Ledger {
  const {
    storage,
    neighbours,
    now,
    canFetch,
    sold = () => undefined,
    sharesCustomers = () => false,
    namesMembers = () => false,
    shopOf = () => everything,
    isSignedIntent: isSigned = () => false,
  } = deps
  const statements = ledgerStatements(storage)
  const isShared = (provider: string) => shopOf(provider).accepts === 'plans'
  const owners = createOwners({ ...deps, sharesCustomers, namesMembers, isShared, statements })
  const copies = createCopies()
  const customerFacts = createCustomerFacts({ storage, statements, isOwned: owners.isOwned, copies })
  const [mutex, optimism] = [createKeyedMutex(), createOptimism()]
  const acceptance = createAcceptance({ storage, statements, shopOf, isSigned })
  const payments = createPaymentPlanner({
    storage,
    statements,
    copies,
    sharesCustomers,
    now,
    acceptance,
    sold,
    tell: deps.onPayment,
    tellDispute: deps.onDispute,
    tellLate: (late, { isQuiet }) => (isQuiet ? [] : (deps.onEnded?.(late) ?? [])),
  })
  const intents = createIntents({
    ...deps,
    statements,
    tell: deps.onCheckout ?? (() => []),
    completes: deps.completes ?? (() => false),
    isSigned,
  })

  const plan: Ledger['plan'] = (given, from, mode) => planWith(given, from, mode)

  const planWith = async (
    given: readonly Change[],
    from: Origin,
    mode: 'blind' | 'read',
    again: Waiting = nothingWaits,
  ): Promise<Step[]> => {
    const origin = normalOrigin(from)
    const changes = normalChanges(ours(given, origin), deps.livemode?.(origin.provider) ?? false)
    const draft = createDraft(now)
    const { steps, purchases, customers } = draft
    const money = changes.filter((c) => c.type === 'money')
    const settling = money.length > 0 ? await intents.find(money, origin.provider) : noSettling

    // Planning skips kinds that the event does not contain. Most events are about one subscription with a known owner.
    const judged = await takeSubscriptions(draft, changes, { origin, mode, settling, again })
    for (const change of changes)
      if (change.type === 'customer')
        takeCustomer(draft, await customerFacts.plan(change, origin, mode), { change, origin })
    const paid: Standing[] = []
    const waiting =
      judged.size === 0 ? again.payments : [...again.payments, ...(await waitingFor(judged, origin))]
    if (money.length + waiting.length > 0) {
      const beside = {
        intent: settling.intent,
        judged,
        again: waiting,
        isReleased: again.isReleased === true,
      }
      const planned = await payments.plan(settling.changes, origin, beside)
      takePayments(draft, planned)
      paid.push(...planned.standings)
    }
    if (origin.source === 'event') steps.push(...forgetEvent(origin, [...paid, ...standingsOf(judged)]))

    const unsettled = purchases.filter((purchase) => !owners.isSettled(origin, purchase))
    const owned =
      unsettled.length + customers.length > 0 ? await owners.plan(origin, unsettled, customers) : noOwners
    steps.push(...owned.steps)
    // An answer about the customer that names no address would be asked for again at once, and for ever.
    const answered = (id: string): boolean => origin.id.startsWith(`fetch:customer:${id}:`)
    for (const id of owned.nameless)
      if (!answered(id)) draft.ask({ kind: 'customer', id }, now().toISOString())
    for (const id of owned.forgotten) draft.askAnew({ kind: 'customer', id })
    const buyer = purchases.map((p) => owned.members.get(p.ownerId)).find((member) => member) ?? null
    const isSure = sharesCustomers(origin.provider) && owned.nameless.length === 0
    steps.push(...intents.settle(settling, { origin, buyer, isSure }))
    for (const { ref, dueAt } of draft.asked()) steps.push(...requestFetch(origin, ref, dueAt))
    noteOwners(draft, origin)
    for (const id of owned.losers) steps.push(...noteMember(id))
    return steps
  }

  /**
   * Plans the subscriptions of an event, of its own checkout, and those that are asked about again. Returns how each
   * stands where not everything of the account is this site's.
   */
  const takeSubscriptions = async (
    draft: Draft,
    changes: readonly Change[],
    { origin, mode, settling, again }: BesideSubscriptions,
  ): Promise<ReadonlyMap<string, JudgedFact>> => {
    const judged = new Map<string, JudgedFact>()
    const isJudged = acceptance.shopOf(origin.provider).accepts === 'plans'
    const own = new Set(isJudged && settling.checkout ? subscriptionsNamed(settling.checkout) : [])
    for (const change of changes)
      if (change.type === 'touch') draft.touch(change.ref, { changes, origin })
      else if (change.type === 'subscription') {
        const isNewest = mode === 'blind' && origin.source === 'event' && !needsRow(change)
        if (isJudged || again.subscriptions.includes(change.id)) {
          const planned = await planOne({ change, id: change.id, origin, isNewest, own, again })
          judged.set(change.id, planned!)
          takeJudged(draft, planned!, { change, origin })
        } else {
          const planned = isNewest
            ? planNewest(statements, change, origin, sold)
            : await planAmongKnown({ storage, statements, change, origin, sold })
          takeSubscription(draft, planned, { change, origin })
        }
      }
    for (const id of new Set([...own, ...again.subscriptions])) {
      if (judged.has(id)) continue
      const planned = await planOne({ change: null, id, origin, isNewest: false, own, again })
      if (planned === null) continue
      judged.set(id, planned)
      takeJudged(draft, planned, { change: null, origin })
    }
    return judged
  }

  const planOne = async (given: ToJudge): Promise<JudgedFact | null> => {
    const { change, id, origin, isNewest, own, again } = given
    const isNamed = change !== null && isNewest && !own.has(id) && acceptance.isNamed(change, origin)
    const isReleased = again.isReleased === true && again.subscriptions.includes(id)
    return isNamed && !isReleased
      ? planNewestNamed(statements, change, origin, sold)
      : planJudged({
          storage,
          statements,
          acceptance,
          id,
          change,
          origin,
          sold,
          isOwn: own.has(id),
          isReleased,
        })
  }

  /** Takes in what is this site's, and only writes the rest. */
  const takeJudged = (
    draft: Draft,
    planned: JudgedFact,
    { change, origin }: { change: SubscriptionChange | null; origin: Origin },
  ): void => {
    const { waited } = planned
    if (planned.standing !== 'accepted') {
      draft.steps.push(...planned.steps)
      if (planned.standing === 'foreign') {
        const due_at = now().toISOString()
        draft.steps.push(step(statements.personDue, { ...keyOf(origin), id: planned.ownerId, due_at }))
      }
      if (planned.contestedAt)
        draft.askAfterTie({ kind: 'subscription', id: change!.id }, planned.contestedAt)
      return
    }
    if (change) takeSubscription(draft, planned, { change, origin })
    else {
      draft.steps.push(...planned.steps)
      if (planned.purchase) draft.purchases.push(planned.purchase)
    }
    if (waited === undefined) return
    // What waited kept neither its notes nor its buyer's name.
    draft.askAnew({ kind: 'subscription', id: waited.id })
    const { customer_id } = JSON.parse(waited.data) as SubscriptionData
    if (customer_id !== null) draft.askAnew({ kind: 'customer', id: customer_id })
  }

  /** The step that drops the body of an event about nothing but another shop's purchases. */
  const forgetEvent = ({ provider, account, id }: Origin, standings: readonly Standing[]): Step[] =>
    standings.length > 0 && standings.every((standing) => standing === 'foreign')
      ? [neighbours.events.dropBody({ provider, account, event_id: id })]
      : []

  /** Lists the payments that a new subscription decides, or one with more items, which may be another shop's. */
  const waitingFor = async (
    judged: ReadonlyMap<string, JudgedFact>,
    { provider, account }: Origin,
  ): Promise<string[]> => {
    const accepted = [...judged].flatMap(([id, { standing, isNew }]) =>
      standing === 'accepted' && isNew ? [id] : [],
    )
    const shared = [...judged].filter(([, { isShared }]) => isShared)
    const found = await Promise.all([
      ...accepted.map((subscription_id) =>
        storage.all(statements.waitingOf, { provider, account, subscription_id }),
      ),
      ...shared.map(([subscription_id, { ownerId: owner_id }]) =>
        storage.all(statements.acceptedOf, { provider, account, owner_id, subscription_id }),
      ),
    ])
    return found.flat().map(({ id }) => id)
  }

  const takeSubscription = (
    { steps, purchases, askAfterTie }: Draft,
    planned: PlannedFact,
    { change, origin }: { change: SubscriptionChange; origin: Origin },
  ): void => {
    steps.push(
      ...planned.steps,
      ...overdueSteps(statements, change, origin),
      ...(deps.keepsMonths ? recurringSteps(statements, change, origin) : []),
      ...(deps.onPayer?.(change, origin) ?? []),
      ...(isEnded(change.data) && !origin.isQuiet
        ? (deps.onEnded?.({ ...keyOf(origin), id: change.id }) ?? [])
        : []),
    )
    if (planned.purchase) purchases.push(planned.purchase)
    if (planned.contestedAt) askAfterTie({ kind: 'subscription', id: change.id }, planned.contestedAt)
  }

  const takeCustomer = (
    { steps, customers, askAfterTie }: Draft,
    planned: PlannedCustomer,
    { change, origin }: { change: CustomerChange; origin: Origin },
  ): void => {
    steps.push(...(deps.onPayer?.(change, origin) ?? []), ...planned.steps)
    if (planned.current) customers.push(planned.current)
    if (planned.contestedAt) askAfterTie({ kind: 'customer', id: change.id }, planned.contestedAt)
  }

  const takePayments = (
    { steps, purchases, askAnew, askAfterTie }: Draft,
    planned: PlannedPayments,
  ): void => {
    steps.push(...planned.steps)
    purchases.push(...planned.purchases)
    for (const { kind, id, at } of planned.contested) askAfterTie({ kind, id }, at)
    for (const ref of planned.forgotten) askAnew(ref)
  }

  /** Queues a notification for each owner whose purchases or data changed. */
  const noteOwners = ({ steps, purchases, customers }: Draft, origin: Origin): void => {
    if (!deps.reports) return
    for (const id of new Set([...purchases.map((p) => p.ownerId), ...customers.map((c) => c.id)]))
      steps.push(...note({ ...keyOf(origin), owner_id: id }, { isKnown: origin.isQuiet === true }))
  }

  // A fetch with the other mode's key must open nothing. Events of that mode were held before they reach this point,
  // and an operator who releases one wants it applied.
  const ours = (given: readonly Change[], { source, provider }: Origin): readonly Change[] => {
    const livemode = deps.livemode?.(provider) ?? null
    if (source !== 'fetch' || livemode === null) return given
    return given.filter((change) => (modeOf(change) ?? livemode) === livemode)
  }

  const requestFetch: Ledger['requestFetch'] = (origin, ref, dueAt) =>
    canFetch(origin.provider, origin.account)
      ? [
          step(statements.fetchInsert, {
            ...keyOf(origin),
            kind: ref.kind,
            id: ref.id,
            parent: ref.parent ?? null,
            due_at: normalMoment(dueAt) ?? dueAt,
            asks_at: normalMoment(dueAt) ?? dueAt,
            attempts: 0,
            wishes: 1,
          }),
        ]
      : []

  const note = (
    owner: { provider: string; account: string; owner_id: string },
    { dueAt = now().toISOString(), isKnown = false }: { dueAt?: string; isKnown?: boolean } = {},
  ): Step[] => {
    // One millisecond is added so that data of this very millisecond counts as known.
    const known_at = isKnown ? new Date(now().getTime() + 1).toISOString() : null
    return deps.reports ? [neighbours.notifications.queue({ ...owner, due_at: dueAt, known_at })] : []
  }

  const noteMember: Ledger['noteMember'] = (memberId, more = {}) =>
    note({ provider: '', account: more.dueAt === undefined ? '' : timeMark, owner_id: memberId }, more)

  const apply: Ledger['apply'] = (changes, origin, more = []) =>
    applyWith(changes, origin, more, nothingWaits)

  const reconsider: Ledger['reconsider'] = (origin, waiting) => applyWith([], origin, [], waiting)

  const release: Ledger['release'] = (changes, origin, released, more = []) =>
    applyWith(changes, origin, more, { ...released, isReleased: true })

  const applyWith = (
    changes: readonly Change[],
    origin: Origin,
    more: readonly Step[],
    again: Waiting,
  ): Promise<void> => {
    const isRace = (error: unknown) =>
      // The caller handles a conflict of its own steps.
      error instanceof UnitConflict && !more.some(({ statement }) => statement.name === error.step)
    const owner = `${origin.provider}\u0000${origin.account}\u0000${ownerOf(changes)}`
    // A burst about one customer would conflict again and again, so its changes run one after the other.
    return mutex.take([owner], async () => {
      for (let tries = 1; ; tries++)
        try {
          const mode = tries === 1 && optimism.isWorth(owner) ? 'blind' : 'read'
          return await storage.commit([...more, ...(await planWith(changes, origin, mode, again))])
        } catch (error) {
          if (!isRace(error) || tries >= maxTries) throw error
          // Only a wrong guess counts. A conflict on a row that is read anyway says nothing about guessing.
          if (error instanceof UnitConflict && isGuess(error)) optimism.wasWrong(owner)
          // A second conflict comes from another process. A random pause keeps both from meeting again.
          if (tries > 1) await pause(Math.random() * Math.min(100, 5 * 2 ** tries))
        }
    })
  }

  const isGuess = ({ step: name }: UnitConflict) =>
    [statements.subscriptionNewer, statements.factAgain, statements.otherStands].some(
      (statement) => statement.name === name,
    )

  return {
    plan,
    apply,
    reconsider,
    release,
    requestFetch,
    noteMember,
    notePayPage: payPageNotes({ storage, statements, now }),
    statements,
    neighbours,
    shopOf: acceptance.shopOf,
    standingAt: acceptance.standingAt,
    judge: acceptance.ofListed,
    judgeStored: acceptance.ofStored,
    ownItemsAt: acceptance.ownItemsAt,
    buysElsewhere: acceptance.buysElsewhere,
    standingOf: acceptance.ofCustomer,
  }
}

function normalOrigin(origin: Origin): Origin {
  const at = fineMoment(origin.at) ?? origin.at
  return at === origin.at ? origin : { ...origin, at }
}

/** The customer that the changes belong to, else the first object. */
function ownerOf(changes: readonly Change[]): string {
  const own = changes.filter((change) => change.type !== 'touch')
  const named = own.map((change) => (change.type === 'customer' ? change.id : change.data.customer_id))
  return named.find((id) => typeof id === 'string') ?? own[0]?.id ?? ''
}

/** Takes the account's place in a row that waits for a moment. */
export const timeMark = 'time'

function keyOf({ provider, account }: Pick<Origin, 'provider' | 'account'>) {
  return { provider, account }
}

/** The plan for one event while it is being built. */
interface Draft {
  readonly steps: Step[]
  /** The purchases that still need an owner. */
  readonly purchases: Purchase[]
  readonly customers: CustomerChange['data'][]
  /** The objects to fetch from the provider, and when. */
  readonly asked: () => Iterable<{ readonly ref: Ref; readonly dueAt: string }>
  ask(ref: Ref, dueAt: string): void
  /** Fetches late enough that the provider's answer is newer than both sides of a tie at that moment. */
  askAfterTie(ref: Ref, at: string): void
  /** Fetches once more what was stored without some of its fields. */
  askAnew(ref: Ref): void
  /** Queues a fetch of an object that an event merely mentions. */
  touch(ref: Ref, message: { readonly changes: readonly Change[]; readonly origin: Origin }): void
}

/** Creates an empty draft. An object asked for twice is fetched once, at the later moment. */
function createDraft(now: () => Date): Draft {
  const fetches = new Map<string, { ref: Ref; dueAt: string }>()
  const ask: Draft['ask'] = (ref, dueAt) => {
    const key = `${ref.kind}:${ref.id}`
    fetches.set(key, { ref, dueAt: later(dueAt, fetches.get(key)?.dueAt ?? '') })
  }
  return {
    steps: [],
    purchases: [],
    customers: [],
    asked: () => fetches.values(),
    ask,
    askAfterTie: (ref, at) => ask(ref, afterTie(at)),
    // An answer of the same second could count as older than the one of which something was left out.
    askAnew: (ref) => ask(ref, afterTie(now().toISOString())),
    touch: (ref, { changes, origin }) => {
      // A fetch at once could return the event's own object in its state before the event.
      const isOwn = changes.some((c) => c.type !== 'touch' && c.id === ref.id)
      ask(ref, later(now().toISOString(), isOwn ? afterTie(origin.at) : ''))
    },
  }
}

function later(a: string, b: string): string {
  return a > b ? a : b
}

function afterTie(at: string): string {
  return new Date(msOf(at) + fetchWindowMs).toISOString()
}

/**
 * Decides when an event may be planned as its object's newest without a read. A wrong guess undoes a commit and costs
 * more than many reads. Owners that recently conflicted with another process are read first; after several conflicts
 * all owners are.
 */
function createOptimism() {
  const crowded = createRecent<true>(10_000, crowdedMs)
  const wrongAt: number[] = []
  let checkUntil = Number.NEGATIVE_INFINITY

  return {
    isWorth: (owner: string): boolean => performance.now() > checkUntil && !crowded.has(owner),
    wasWrong: (owner: string): void => {
      const now = performance.now()
      crowded.set(owner, true)
      wrongAt.push(now)
      if (wrongAt.length > several && now - wrongAt.shift()! < shortMs) checkUntil = now + checkMs
    },
  }
}

const crowdedMs = 30_000
const several = 5
const shortMs = 1000
const checkMs = 10_000
