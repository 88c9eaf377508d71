import { setTimeout as pause } from 'node:timers/promises'
import { createKeyedMutex } from '../../core/jobs/keyed-mutex.ts'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { Change, CustomerChange, Ref, SubscriptionChange } from '../../providers/contract.ts'
import { fineMoment, modeOf, normalChanges, normalMoment } from '../verification/normal.ts'
import type { OwnerRules } from './claims.ts'
import { createCopies } from './copies.ts'
import { createCustomerFacts, type PlannedCustomer } from './customer-facts.ts'
import { createDraft, type Draft } from './draft.ts'
import type { Origin } from './history.ts'
import { createIntents, noSettling, type SettledIntent } from './intents.ts'
import { createOptimism } from './optimism.ts'
import { createOwners, type PlannedOwners } from './owners.ts'
import { createPaymentPlanner, type PaidOnce, type PlannedPayments } from './payments.ts'
import { type LedgerStatements, ledgerStatements } from './statements/index.ts'
import { needsRow, overdueSteps, type PlannedFact, planAmongKnown, planNewest } from './subscriptions.ts'

/** The part that converges: facts, payments, owners. */
export interface Ledger {
  /** The steps that take these changes into the ledger. `blind` reads as little as possible and may conflict. */
  plan(changes: readonly Change[], origin: Origin, mode: 'blind' | 'read'): Promise<Step[]>
  /** Plans and commits, again when the rows it read were changed meanwhile. `more` joins the same unit. */
  apply(changes: readonly Change[], origin: Origin, more?: readonly Step[]): Promise<void>
  /** The step that notes that a member changed, for whoever is told; none where nobody is. */
  noteMember(memberId: string, note?: { dueAt?: string; isKnown?: boolean }): Step[]
  /** Asks the provider for an object later, whatever becomes of the call that is about to be made. */
  requestFetch(origin: { provider: string; account: string }, ref: Ref, dueAt: string): Step[]
  readonly statements: LedgerStatements
}

export interface LedgerDeps {
  readonly storage: Storage
  readonly rules: OwnerRules
  readonly now: () => Date
  readonly randomId: () => string
  /** True if this provider's objects can be asked for. */
  readonly canFetch: (provider: string, account: string) => boolean
  /** True if this provider leaves something to do when the buyer of a checkout has agreed. */
  readonly completes?: (provider: string, account: string) => boolean
  /** True if this provider has one customer for each address, whoever typed it. */
  readonly sharesCustomers?: (provider: string) => boolean
  /** True if this is the id of a purchase as this site signs it. */
  readonly isSignedIntent?: (text: string) => boolean
  /** The mode that counts where a provider's message cannot say it: the configured one; a test's where there is none. */
  readonly livemode?: (provider: string) => boolean | null
  /** True if somebody wants to be told of members' changes: hooks, mails, a user store. */
  readonly reports: boolean
  /** Queues messages, in the same unit, about a checkout whose outcome became known. */
  readonly onCheckout?: (settled: SettledIntent, origin: Origin) => readonly Step[]
  /** The same about a payment that was paid once. */
  readonly onPayment?: (payment: PaidOnce, origin: Origin) => readonly Step[]
  /** The same about what a message says of a subscription, or of the customer who pays it. */
  readonly onPayer?: (change: SubscriptionChange | CustomerChange, origin: Origin) => readonly Step[]
}

const noOwners: PlannedOwners = { steps: [], members: new Map(), losers: [], nameless: [] }

// Conflicts need another writer each time; this many in a row mean something else is wrong.
const maxTries = 50

/** In one process, changes about one customer take turns. A unit that another writer overtakes is planned
 *  anew; after 50 tries its conflict is thrown. */
export const createLedger = (deps: LedgerDeps): Ledger => {
  const { storage, now, canFetch, sharesCustomers = () => false } = deps
  const statements = ledgerStatements(storage)
  const owners = createOwners({ ...deps, sharesCustomers, statements })
  const copies = createCopies()
  const customerFacts = createCustomerFacts({ storage, statements, isOwned: owners.isOwned, copies })
  const mutex = createKeyedMutex()
  const optimism = createOptimism()
  const payments = createPaymentPlanner({
    ...{ storage, statements, copies, sharesCustomers, now },
    tell: deps.onPayment,
  })
  const intents = createIntents({
    ...deps,
    statements,
    tell: deps.onCheckout ?? (() => []),
    completes: deps.completes ?? (() => false),
    isSigned: deps.isSignedIntent ?? (() => false),
  })

  const plan: Ledger['plan'] = async (given, from, mode) => {
    const origin = normalOrigin(from)
    const changes = normalChanges(ours(given, origin), deps.livemode?.(origin.provider) ?? false)
    const draft = createDraft(now)
    const { steps, purchases, customers } = draft

    // What a message does not speak of is not awaited: most speak of one subscription, whose owner is known.
    for (const change of changes)
      if (change.type === 'subscription') {
        const isNewest = mode === 'blind' && origin.source === 'event' && !needsRow(change)
        const planned = isNewest
          ? planNewest(statements, change, origin)
          : await planAmongKnown({ storage, statements, change, origin })
        takeSubscription(draft, planned, { change, origin })
      } else if (change.type === 'touch') draft.touch(change.ref, { changes, origin })
    for (const change of changes)
      if (change.type === 'customer')
        takeCustomer(draft, await customerFacts.plan(change, origin, mode), { change, origin })
    const money = changes.filter((c) => c.type === 'money')
    const settling = money.length > 0 ? await intents.find(money, origin.provider) : noSettling
    if (money.length > 0) takePayments(draft, await payments.plan(settling.changes, origin, settling.intent))

    const unsettled = purchases.filter((purchase) => !owners.isSettled(origin, purchase))
    const owned =
      unsettled.length + customers.length > 0 ? await owners.plan(origin, unsettled, customers) : noOwners
    steps.push(...owned.steps)
    for (const id of owned.nameless) draft.ask({ kind: 'customer', id }, now().toISOString())
    const buyer = purchases.map((p) => owned.members.get(p.ownerId)).find((member) => member) ?? null
    const isSure = sharesCustomers(origin.provider) && owned.nameless.length === 0
    steps.push(...intents.settle(settling, { origin, buyer, isSure }))
    for (const { ref, dueAt } of draft.asked()) steps.push(...requestFetch(origin, ref, dueAt))
    noteOwners(draft, origin)
    for (const id of owned.losers) steps.push(...noteMember(id))
    return steps
  }

  const takeSubscription = (
    { steps, purchases, askAfterTie }: Draft,
    planned: PlannedFact,
    { change, origin }: { change: SubscriptionChange; origin: Origin },
  ): void => {
    steps.push(
      ...planned.steps,
      ...overdueSteps(statements, change, origin),
      ...(deps.onPayer?.(change, origin) ?? []),
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
    if (planned.standing) customers.push(planned.standing)
    if (planned.contestedAt) askAfterTie({ kind: 'customer', id: change.id }, planned.contestedAt)
  }

  const takePayments = ({ steps, purchases, askAfterTie }: Draft, planned: PlannedPayments): void => {
    steps.push(...planned.steps)
    purchases.push(...planned.purchases)
    for (const { kind, id, at } of planned.contested) askAfterTie({ kind, id }, at)
  }

  /** Whoever owns what changed is told of. */
  const noteOwners = ({ steps, purchases, customers }: Draft, origin: Origin): void => {
    if (!deps.reports) return
    for (const id of new Set([...purchases.map((p) => p.ownerId), ...customers.map((c) => c.id)]))
      steps.push(...note({ ...keyOf(origin), owner_id: id }, { isKnown: origin.isQuiet === true }))
  }

  // What is asked for with a key of the other mode opens nothing. Messages of it are held back before they come here,
  // and whoever releases one wants it.
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
    // What was made in this very millisecond is known, too.
    const known_at = isKnown ? new Date(now().getTime() + 1).toISOString() : null
    return deps.reports ? [step(statements.tell, { ...owner, wishes: 1, due_at: dueAt, known_at })] : []
  }

  const noteMember: Ledger['noteMember'] = (memberId, more = {}) =>
    note({ provider: '', account: more.dueAt === undefined ? '' : timeMark, owner_id: memberId }, more)

  const apply = (changes: readonly Change[], origin: Origin, more: readonly Step[] = []): Promise<void> => {
    const isRace = (error: unknown) =>
      // A conflict of the caller's own steps is the caller's to understand.
      error instanceof UnitConflict && !more.some(({ statement }) => statement.name === error.step)
    const owner = `${origin.provider}\u0000${origin.account}\u0000${ownerOf(changes)}`
    // A burst about one customer would lose to each other again and again: in one process they take turns.
    return mutex.take([owner], async () => {
      for (let tries = 1; ; tries++)
        try {
          const mode = tries === 1 && optimism.isWorth(owner) ? 'blind' : 'read'
          return await storage.commit([...more, ...(await plan(changes, origin, mode))])
        } catch (error) {
          if (!isRace(error) || tries >= maxTries) throw error
          // Of the rows that are looked at anyway, a lost race says nothing about guesses.
          if (error instanceof UnitConflict && isGuess(error)) optimism.wasWrong(owner)
          // Lost again: to another process, which comes at another moment than we.
          if (tries > 1) await pause(Math.random() * Math.min(100, 5 * 2 ** tries))
        }
    })
  }

  const isGuess = ({ step: name }: UnitConflict) =>
    name === statements.subscriptionNewer.name || name === statements.factAgain.name

  return { plan, apply, requestFetch, noteMember, statements }
}

const normalOrigin = (origin: Origin): Origin => {
  const at = fineMoment(origin.at) ?? origin.at
  return at === origin.at ? origin : { ...origin, at }
}

/** The customer whose rows the changes meet, else the first object. */
const ownerOf = (changes: readonly Change[]): string => {
  const own = changes.filter((change) => change.type !== 'touch')
  const named = own.map((change) => (change.type === 'customer' ? change.id : change.data.customer_id))
  return named.find((id) => typeof id === 'string') ?? own[0]?.id ?? ''
}

/** Stands as the account of a mark that waits for a moment. */
export const timeMark = 'time'

const keyOf = ({ provider, account }: Pick<Origin, 'provider' | 'account'>) => ({ provider, account })
