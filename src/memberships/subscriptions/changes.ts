import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentData, SubscriptionData } from '../../core/dto/index.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { createDocuments, type Step, type Storage, step, unlessConflict } from '../../core/storage/index.ts'
import type { ChangeMethods, CheckoutRequest, Provider, ProviderReader } from '../../providers/contract.ts'
import type { AuditedAction, AuditLog } from '../audit-log/index.ts'
import { createLedgerDoors, type Ledger } from '../ledger/index.ts'
import { providerAt } from '../verification/index.ts'
import { isFailure, isFinal } from './final-answers.ts'
import { type ChangeRequestRow, changeStatements } from './statements.ts'

/** The provider's methods that change something. Only this module calls them. */
export type ChangeKind = keyof ChangeMethods

export type SubscriptionChangeKind = Extract<
  ChangeKind,
  'cancel' | 'resume' | 'pause' | 'discount' | 'swap' | 'schedule' | 'unschedule'
>

/** Who asked for a change. For an automatic rule, the rule's name. */
export type RequestedBy =
  | { readonly kind: 'member' }
  | { readonly kind: 'operator'; readonly name: string }
  /** The buyer's consent at the checkout. */
  | { readonly kind: 'terms' }
  /** A declaration that the site must carry out: a withdrawal, or a cancellation without a login. */
  | { readonly kind: 'law' }
  | { readonly kind: 'rule'; readonly name: RuleName }

/** The rules that make changes automatically. */
export type RuleName =
  | 'repeated-trial'
  | 'merge-closes-checkouts'
  | 'sale-closes-checkouts'
  | 'acknowledge-purchase'

/** A request for one change of one object. */
export interface ChangeRequest<K extends ChangeKind = ChangeKind> {
  readonly kind: K
  readonly provider: string
  readonly account: string
  /** The id of the subscription, payment or customer, or of a checkout's intent. */
  readonly object: string
  readonly memberId: string | null
  readonly requestedBy: RequestedBy
  readonly reason: string
  /** The request's name and idempotency key. An equal name is the same request, whoever makes it and whenever. */
  readonly name: string
  /** Tells several requests about one object apart. */
  readonly wish?: string
  /**
   * True if the change may be made twice. After a failure of the provider's own, which its key would repeat, another
   * key is used.
   */
  readonly mayRepeat?: boolean
}

/** The arguments of a call to the provider, without the idempotency key, which is the request's name. */
export type ChangeArgs<K extends ChangeKind> = K extends 'expireCheckout'
  ? { readonly checkoutId: string }
  : K extends 'checkout'
    ? CheckoutRequest
    : Omit<Parameters<ChangeMethods[K]>[0], 'idempotencyKey'>

export type ChangeAnswer<K extends ChangeKind> = Awaited<ReturnType<ChangeMethods[K]>>

/**
 * Writes the provider's answer in one unit with the steps that record the request's outcome: `noted`, or `goesOn` where
 * it is repeated later.
 */
export type TakeIn<K extends ChangeKind, R> = (
  answer: ChangeAnswer<K>,
  noted: readonly Step[],
  goesOn: readonly Step[],
) => Promise<R>

/** Answers a request that another process finished while this one waited. Null makes the call again. */
export type FindDone<R> = () => Promise<R | null>

export interface ChangesDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly providers: ReadonlyMap<string, Provider>
  readonly auditLog: AuditLog
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
  /** A process that has not renewed its lease for this long counts as dead. */
  readonly leaseMs?: number
}

/**
 * The only place that changes anything at a provider. It knows who asked, and checks what an automatic rule must not
 * touch. It stores the request before the call and the outcome after it. The request's name is the idempotency key. A
 * request with a lost answer keeps its name, so that a repetition is the same request.
 */
export function createChanges(deps: ChangesDeps): Changes {
  const { storage, ledger, providers, auditLog, now, randomId, log, leaseMs = 15_000 } = deps
  const statements = changeStatements(storage)
  const ledgerDoors = createLedgerDoors(storage)
  const byHand = createDocuments(storage, 'changes-by-hand')

  /** By request name: the call that this process is making. */
  const calls = new Map<string, Promise<Made>>()
  /** By request name: a lease of this process whose end could not be written. No other process holds it. */
  const leases = new Map<string, string>()

  async function perform<K extends ChangeKind, R>(
    request: ChangeRequest<K>,
    args: ChangeArgs<K>,
    takeIn: TakeIn<K, R>,
    findDone: FindDone<R> = async () => null,
  ): Promise<R> {
    const provider = providerAt(providers, request.provider, request.account)
    if (provider?.[request.kind] === undefined) throw lacking(request)
    await refuseForeign(request, args)
    const note = noteOf(request)
    await guard(request, note)
    // Two clicks at once are one request. The second uses the first one's answer.
    const sameCall = calls.get(request.name)
    if (sameCall !== undefined) {
      const made = await sameCall
      return made.kind === 'done' ? (made.result as R) : takeIn(made.answer as ChangeAnswer<K>, [], [])
    }
    const call = make(provider, request, args, { note, findDone })
    calls.set(request.name, call)
    try {
      const made = await call
      if (made.kind === 'done') return made.result as R
      const answer = made.answer as ChangeAnswer<K>
      const goesOn = ended(request, note, { outcome: 'begun' })
      // An unpaid checkout still has to be completed, so the request stays open and its lease ends.
      const isOpen = request.kind === 'complete' && answer === null
      if (isOpen) await storage.commit(goesOn)
      const noted = isOpen
        ? []
        : [
            ...ended(request, note, { outcome: 'done', answer: madeBy(answer) }),
            ...endedHere(provider, request, args),
          ]
      const result = await takeIn(answer, noted, goesOn)
      leases.delete(request.name)
      return result
    } catch (error) {
      // A lost answer may mean success, so the request and its name stay open.
      const outcome = isFinal(error) ? 'failed' : 'begun'
      await storage.commit(ended(request, note, { outcome, error: codeOf(error) }))
      leases.delete(request.name)
      throw error
    } finally {
      calls.delete(request.name)
    }
  }

  /**
   * Refuses every change of a purchase that another shop of the provider's account sold, whoever asks.
   * @throws ERR_ACTION_REFUSED
   */
  const refuseForeign = async (
    { kind, provider, account, object }: ChangeRequest,
    args: ChangeArgs<ChangeKind>,
  ): Promise<void> => {
    const of = changed[kind]
    if (of === null) return
    const place = { provider, account, id: object }
    if (of === 'customer') {
      if (!(await ledger.buysElsewhere(place))) return
      throw sharedCustomer(place)
    }
    const standing = await ledger.standingAt({ kind: of, ...place })
    if (standing === 'own' && kind !== 'removeItems') return
    if (standing === 'mixed' && kind === 'removeItems') {
      const own = new Set((await ledger.ownItemsAt(place)).map((item) => JSON.stringify(item)))
      const { items } = args as ChangeArgs<'removeItems'>
      if (items.length > 0 && items.every((item) => own.has(JSON.stringify(item)))) return
    }
    if (standing === 'mixed')
      await byHand.put(placeKey(provider, account, object), {
        provider,
        account,
        id: object,
        kind,
        since: now().toISOString(),
      } satisfies ChangeByHand)
    throw new MembershipError(
      'ERR_ACTION_REFUSED',
      standing === 'mixed'
        ? `The subscription "${object}" at ${provider} also holds items that this site does not sell.`
        : `This site did not sell the ${of} "${object}" at ${provider}.`,
      {
        reason: 'foreign',
        action:
          standing === 'mixed'
            ? `Change only this site’s items of "${object}" in the dashboard of ${provider}.`
            : `If this site sells it, name its price in membership.plans, or in membership.providers.${provider}.prices.`,
      },
    )
  }

  /** Stores the request, then makes the call while holding the request's lease. */
  const make = async <K extends ChangeKind>(
    provider: Provider,
    request: ChangeRequest<K>,
    args: ChangeArgs<K>,
    { note, findDone }: { readonly note: Note; readonly findDone: FindDone<unknown> },
  ): Promise<Made> => {
    const result = await begin(request, note, findDone)
    if (result !== null) return { kind: 'done', result }
    const renewal = setInterval(() => {
      const busy_until = leaseEnd()
      leases.set(request.name, busy_until)
      storage.commit([step(statements.renew, { id: request.name, busy_until })]).catch(() => undefined) // The lease then expires, and another process may repeat the request.
    }, leaseMs / 3)
    renewal.unref()
    try {
      return { kind: 'answer', answer: await send(provider, request, args) }
    } finally {
      clearInterval(renewal)
    }
  }

  const send = async <K extends ChangeKind>(
    provider: Provider,
    { kind, name, mayRepeat = false }: ChangeRequest<K>,
    args: ChangeArgs<K>,
  ): Promise<ChangeAnswer<K>> => {
    const ask = (idempotencyKey: string): Promise<ChangeAnswer<K>> => {
      if (kind === 'expireCheckout') {
        const { checkoutId } = args as ChangeArgs<'expireCheckout'>
        return provider.expireCheckout!(checkoutId, { idempotencyKey }) as Promise<ChangeAnswer<K>>
      }
      const call = provider[kind] as (request: object) => Promise<ChangeAnswer<K>>
      return call.call(provider, kind === 'checkout' ? args : { ...args, idempotencyKey })
    }
    try {
      return await ask(name)
    } catch (error) {
      if (!mayRepeat || !isFailure(error)) throw error
      return ask(`${name}:${randomId()}`)
    }
  }

  /**
   * Stores the request and takes its lease before any call. It waits while another process makes the same request.
   * Returns that process's result, or null where the call is to be made here.
   */
  const begin = async (request: ChangeRequest, note: Note, findDone: FindDone<unknown>): Promise<unknown> => {
    for (;;) {
      const busy_until = leaseEnd()
      const row = { ...rowOf(request), at: now().toISOString(), outcome: 'begun', busy_until }
      const noted = note === null ? [] : [note.begun]
      const isNew = await wasCommitted([step(statements.insert, row, 1), ...noted])
      if (isNew) return holding(request.name, busy_until)
      const { seen, hasWaited } = await freeAgain(request.name)
      if (seen === undefined) continue
      if (hasWaited && seen.outcome === 'done') {
        const result = await findDone()
        if (result !== null) return result
      }
      const taken = { id: request.name, seen: seen.busy_until ?? '', busy_until: leaseEnd() }
      if (await wasCommitted([step(statements.again, taken, 1)])) return holding(taken.id, taken.busy_until)
    }
  }

  const holding = (name: string, busyUntil: string): null => {
    leases.set(name, busyUntil)
    return null
  }

  /**
   * Waits until no living process makes this request. A lease not renewed for its whole length, by the waiting
   * process's clock, belongs to a dead process. The clocks of two machines are never compared closely.
   */
  const freeAgain = async (
    id: string,
  ): Promise<{ seen: ChangeRequestRow | undefined; hasWaited: boolean }> => {
    const own = leases.get(id)
    let lease: string | null = null
    let since = performance.now()
    for (let tries = 0; ; tries++) {
      const [seen] = await storage.all(statements.find, { id })
      const isFree =
        !seen?.busy_until ||
        seen.busy_until === own ||
        Date.parse(seen.busy_until) < now().getTime() - longOverMs
      if (isFree || (lease === seen.busy_until && performance.now() - since > leaseMs))
        return { seen, hasWaited: tries > 0 }
      if (lease !== seen.busy_until) since = performance.now()
      lease = seen.busy_until
      await sleep(Math.min(leaseMs / 4, pollMs))
    }
  }

  const leaseEnd = (): string => new Date(now().getTime() + leaseMs).toISOString()

  const wasCommitted = (steps: readonly Step[]): Promise<boolean> => unlessConflict(storage.commit(steps))

  const ended = (
    { name }: ChangeRequest,
    note: Note,
    { outcome, answer = null, error = null }: Ended,
  ): readonly Step[] => [
    step(statements.end, { id: name, outcome, answer, error }),
    ...(note === null || outcome === 'begun' ? [] : [note.ended(outcome, error, { reason: note.reason })]),
  ]

  const endedHere = (
    { capabilities }: Pick<Provider, 'capabilities'>,
    { kind, provider, account, object: id }: ChangeRequest,
    args: ChangeArgs<ChangeKind>,
  ): readonly Step[] =>
    capabilities?.cancels_early === true && kind === 'cancel' && (args as ChangeArgs<'cancel'>).when === 'now'
      ? [ledgerDoors.endedHere({ provider, account, id })]
      : []

  /**
   * Stops an automatic rule from ending, shortening or raising the price of anything ever paid for, and from changing a
   * pause or a scheduled change. The operator's log gives the reason.
   * @throws ERR_ACTION_REFUSED
   */
  const guard = async (request: ChangeRequest, note: Note): Promise<void> => {
    const { requestedBy, kind, provider, account, object, name, reason } = request
    if (requestedBy.kind !== 'rule' || !guarded.has(kind)) return
    const because = await protectedBy({ provider, account, id: object })
    if (because === null) return
    log('a rule was kept from changing a membership', {
      rule: requestedBy.name,
      provider,
      id: object,
      because,
    })
    const row = { ...rowOf(request), at: now().toISOString(), outcome: 'failed', error: 'ERR_ACTION_REFUSED' }
    const isNew = (await storage.all(statements.find, { id: name })).length === 0
    if (isNew)
      await wasCommitted([
        step(statements.insert, { ...row, busy_until: null }, 1),
        ...(note === null
          ? []
          : [note.begun, note.ended('failed', 'ERR_ACTION_REFUSED', { reason, because })]),
      ])
    throw new MembershipError(
      'ERR_ACTION_REFUSED',
      `The rule "${requestedBy.name}" may not change this: ${because}.`,
      { reason: 'protected' },
    )
  }

  const protectedBy: Changes['protectedBy'] = async ({ provider, account, id }) => {
    const [row] = await storage.all(ledger.statements.subscription, { provider, account, id })
    if (!row) return 'nothing is known of it'
    const { paused_at, resumes_at, scheduled_change } = JSON.parse(row.data) as SubscriptionData
    if (paused_at !== null || resumes_at !== null) return 'it is or was to be paused'
    if (scheduled_change !== null) return 'a change is planned for it'
    const key = { provider, account, owner_id: row.owner_id, subscription_id: id }
    const payments = await storage.all(statements.payments, key)
    return payments.some(wasCharged) ? 'money was paid for it' : null
  }

  const noteOf = ({ requestedBy, kind, memberId, object, name, reason }: ChangeRequest): Note => {
    // The office and the commands log an operator's action themselves, with the state before it.
    const isGiven = kind === 'discount' && requestedBy.kind === 'member'
    if (!isGiven && requestedBy.kind !== 'rule' && requestedBy.kind !== 'law') return null
    const action = actions[kind]
    if (action === undefined) return null
    // What costs the site money stands in its log, also where a member took it.
    const by = isGiven ? 'member' : requestedBy.kind === 'rule' ? `rule: ${requestedBy.name}` : 'declaration'
    return { ...auditLog.noting({ by, action, memberId, subject: object, key: `change ${name}` }), reason }
  }

  const requestsOf: Changes['requestsOf'] = ({ provider, account, id, kind }) =>
    storage.all(statements.ofObject, { provider, account, object_id: id, kind })

  const ask: Changes['ask'] = (request, args) =>
    perform(request, args, (answer, noted) => storage.commit(noted).then(() => answer))

  const listByHand: Changes['listByHand'] = async () => {
    const found: ChangeByHand[] = []
    for (const wanted of await byHand.list<ChangeByHand>('')) {
      const { provider, account, id } = wanted
      const [row] = await storage.all(ledger.statements.subscription, { provider, account, id })
      const isOver = row === undefined || row.status === 'canceled' || row.status === 'expired'
      const isMixed =
        !isOver && (await ledger.standingAt({ kind: 'subscription', provider, account, id })) === 'mixed'
      if (isMixed) found.push(wanted)
      else await byHand.remove(placeKey(provider, account, id))
    }
    return found
  }

  const settle: Changes['settle'] = (id) =>
    storage.commit([step(statements.end, { id, outcome: 'done', answer: null, error: null })])

  return { perform, ask, protectedBy, requestsOf, listByHand, settle }
}

/** The guarded entrance to every change at a provider. */
export interface Changes {
  /**
   * Makes the change. `takeIn` writes its steps in one unit with the answer. Requests of one name run one after the
   * other, across all processes; `findDone` answers one that another process finished meanwhile.
   * @throws ERR_PROVIDER_UNSUPPORTED, ERR_ACTION_REFUSED, and what the provider's method throws
   */
  perform<K extends ChangeKind, R>(
    request: ChangeRequest<K>,
    args: ChangeArgs<K>,
    takeIn: TakeIn<K, R>,
    findDone?: FindDone<R>,
  ): Promise<R>
  /**
   * Same as `perform`, for an answer of which nothing is written.
   * @throws as `perform`
   */
  ask<K extends ChangeKind>(request: ChangeRequest<K>, args: ChangeArgs<K>): Promise<ChangeAnswer<K>>
  /** The reason that no automatic rule may end or change this subscription; null where one may. */
  protectedBy(subscription: Place): Promise<string | null>
  /** Lists the stored requests of one kind about one object, newest first. */
  requestsOf(object: Place & { readonly kind: ChangeKind }): Promise<readonly ChangeRequestRow[]>
  /**
   * Lists the changes that only the provider's dashboard can make, because the subscription also holds items of another
   * shop. One is over when the subscription ended, or holds nothing of another shop any more.
   */
  listByHand(): Promise<readonly ChangeByHand[]>
  /** Ends a request whose answer was lost and whose effect has been seen since. */
  settle(id: string): Promise<void>
}

function placeKey(...parts: readonly string[]): string {
  return JSON.stringify(parts)
}

interface Place {
  readonly provider: string
  readonly account: string
  readonly id: string
}

/** A change that was refused for the whole of a subscription with items of two shops. */
export interface ChangeByHand extends Place {
  readonly kind: ChangeKind
  /** When it was last asked for. */
  readonly since: string
}

/**
 * Closes the checkout of an intent whose buyer chose something else, or whose sale is over, so that nobody can pay it.
 * Null where the provider does not confirm that it is closed.
 * @throws as `perform`
 */
export async function closeCheckout(
  changes: Pick<Changes, 'ask'>,
  { provider, account }: { readonly provider: ProviderReader; readonly account: string },
  {
    id,
    checkoutId,
    memberId,
    isSaleOver = false,
  }: { id: string; checkoutId: string; memberId: string | null; isSaleOver?: boolean },
): Promise<ChangeAnswer<'expireCheckout'>> {
  return offers(provider, 'expireCheckout')
    ? changes.ask(
        {
          kind: 'expireCheckout',
          provider: provider.key,
          account,
          object: id,
          memberId,
          requestedBy: isSaleOver ? { kind: 'rule', name: 'sale-closes-checkouts' } : { kind: 'member' },
          name: `expire:${id}`,
          mayRepeat: true,
          reason: isSaleOver ? 'the sale is over' : 'the buyer chose something else',
        },
        { checkoutId },
      )
    : null
}

export function offers(provider: ProviderReader | undefined, kind: ChangeKind): boolean {
  return (provider as Provider | undefined)?.[kind] !== undefined
}

/** The result of a request: the provider's answer, or what another process did meanwhile. */
type Made =
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'done'; readonly result: unknown }

type Note = (ReturnType<AuditLog['noting']> & { readonly reason: string }) | null

interface Ended {
  readonly outcome: 'begun' | 'done' | 'failed'
  readonly answer?: string | null
  readonly error?: string | null
}

/**
 * The object that each kind of change ends, charges or alters. A new kind does not compile before it says so. Null:
 * opening, closing and completing a checkout, an acknowledgement and the site's own webhook address end and charge nothing
 * beyond the buyer's consent.
 */
const changed: Readonly<Record<ChangeKind, 'subscription' | 'payment' | 'customer' | null>> = {
  cancel: 'subscription',
  swap: 'subscription',
  schedule: 'subscription',
  unschedule: 'subscription',
  pause: 'subscription',
  resume: 'subscription',
  discount: 'subscription',
  refund: 'payment',
  checkout: null,
  complete: null,
  expireCheckout: null,
  removeItems: 'subscription',
  updateCustomer: 'customer',
  acknowledge: null,
  connect: null,
}

const guarded: ReadonlySet<ChangeKind> = new Set(
  (Object.keys(changed) as ChangeKind[]).filter(
    (kind) => changed[kind] === 'subscription' || changed[kind] === 'payment',
  ),
)

const actions: Readonly<Partial<Record<ChangeKind, AuditedAction>>> = {
  cancel: 'cancel',
  removeItems: 'cancel',
  resume: 'resume',
  swap: 'change',
  schedule: 'change',
  unschedule: 'change',
  refund: 'refund',
  discount: 'discount',
  expireCheckout: 'close-checkout',
}

/** True if money was taken, even if it was refunded since. */
function wasCharged({ status, data }: { status: string; data: string }): boolean {
  return (
    !['pending', 'failed'].includes(status) &&
    ((JSON.parse(data) as Pick<PaymentData, 'amount'> | null)?.amount ?? 1) > 0
  )
}

function rowOf(request: ChangeRequest) {
  return {
    id: request.name,
    provider: request.provider,
    account: request.account,
    kind: request.kind,
    object_id: request.object,
    member_id: request.memberId,
    requested_by: request.requestedBy.kind,
    requester: 'name' in request.requestedBy ? request.requestedBy.name.slice(0, 200) : null,
    reason: request.reason,
    wish: request.wish ?? null,
    answer: null,
    error: null,
  }
}

/** The id of the refund that an answer contains. */
function madeBy(answer: unknown): string | null {
  const { changes = [] } = (answer ?? {}) as {
    changes?: readonly { type: string; kind?: string; id?: string }[]
  }
  return changes.find(({ type, kind }) => type === 'money' && kind === 'refund')?.id ?? null
}

function codeOf(error: unknown): string {
  return isMembershipError(error) ? error.code : 'ERR_UNEXPECTED'
}

function sharedCustomer({ provider, id }: Place): MembershipError {
  return new MembershipError(
    'ERR_ACTION_REFUSED',
    `The customer "${id}" at ${provider} also buys from another shop of the account, which reads this name and address.`,
    {
      reason: 'foreign',
      action: `Change them in the dashboard of ${provider}, if both shops should have them.`,
    },
  )
}

function lacking({ provider, kind }: ChangeRequest): MembershipError {
  return new MembershipError(
    'ERR_PROVIDER_UNSUPPORTED',
    `The provider "${provider}" has no "${kind}" here.`,
    {
      action: 'Use the provider’s own page or its dashboard.',
    },
  )
}

// Longer than two clocks can differ.
const longOverMs = 5 * 60_000
const pollMs = 250
