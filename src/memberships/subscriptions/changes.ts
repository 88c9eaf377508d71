import type { PaymentData, SubscriptionData } from '../../core/dto/index.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { ChangeMethods, CheckoutRequest, Provider, ProviderReader } from '../../providers/contract.ts'
import type { DeedName, Deeds } from '../audit-log/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { providerAt } from '../verification/provider-at.ts'
import { isFailure, isFinal } from './final.ts'
import { type ChangeRequestRow, changeStatements } from './statements.ts'

/** What changes something at a provider: its methods of these names, which nobody else calls. */
export type ChangeKind = keyof ChangeMethods

/** The changes of one subscription. */
export type SubscriptionChangeKind = Extract<
  ChangeKind,
  'cancel' | 'resume' | 'pause' | 'swap' | 'schedule' | 'unschedule'
>

/** Who asked for a change. Of an automatic rule it is the rule's name. */
export type RequestedBy =
  | { readonly kind: 'member' }
  | { readonly kind: 'operator'; readonly name: string }
  /** What a buyer agreed to at the checkout. */
  | { readonly kind: 'terms' }
  /** A declaration that the site has to carry out: a withdrawal, a cancellation without a login. */
  | { readonly kind: 'law' }
  | { readonly kind: 'rule'; readonly name: RuleName }

/** The rules that change something by themselves. */
export type RuleName = 'repeated-trial' | 'merge-closes-checkouts'

/** A request for one change of one object. */
export interface ChangeRequest<K extends ChangeKind = ChangeKind> {
  readonly kind: K
  readonly provider: string
  readonly account: string
  /** The subscription, payment, customer, or the intent of a checkout. */
  readonly object: string
  readonly memberId: string | null
  readonly requestedBy: RequestedBy
  readonly reason: string
  /** Names the request, and is its idempotency key: the same name is the same request, whoever makes it and when. */
  readonly name: string
  /** Tells requests about one object apart. */
  readonly wish?: string
  /** Whether it may be made twice: after a failure of the provider's own, which its key would repeat, another key is
   *  used. */
  readonly mayRepeat?: boolean
  /** For a provider that knows no keys: no other process may make the call while this one does. */
  readonly isExclusive?: boolean
}

/** What a request says to the provider; the key is the request's. */
export type ChangeArgs<K extends ChangeKind> = K extends 'expireCheckout'
  ? { readonly checkoutId: string }
  : K extends 'checkout'
    ? CheckoutRequest
    : Omit<Parameters<ChangeMethods[K]>[0], 'idempotencyKey'>

export type ChangeAnswer<K extends ChangeKind> = Awaited<ReturnType<ChangeMethods[K]>>

/** Takes in what the provider answered, in one unit with the steps that note how the request ended. */
export type TakeIn<K extends ChangeKind, R> = (answer: ChangeAnswer<K>, noted: readonly Step[]) => Promise<R>

export interface ChangesDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly providers: ReadonlyMap<string, Provider>
  readonly deeds: Deeds
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
}

/**
 * The one place that changes anything at a provider. It knows who asked, checks what an automatic rule may not touch,
 * stores the request before the call and its outcome after it, and gives the provider the request's name as idempotency
 * key. A request whose answer was lost keeps its name, so that it is the same when it is made again.
 */
export const createChanges = (deps: ChangesDeps): Changes => {
  const { storage, ledger, providers, deeds, now, randomId, log } = deps
  const statements = changeStatements(storage)

  async function perform<K extends ChangeKind, R>(
    request: ChangeRequest<K>,
    args: ChangeArgs<K>,
    takeIn: TakeIn<K, R>,
  ): Promise<R> {
    const provider = providerAt(providers, request.provider, request.account)
    if (provider?.[request.kind] === undefined) throw lacking(request)
    const note = noteOf(request)
    await guard(request, note)
    await begin(request, note)
    try {
      const answer = await send(provider, request, args)
      // A checkout that nobody paid yet is still to be completed.
      if (request.kind === 'complete' && answer === null) return await takeIn(answer, [])
      return await takeIn(answer, ended(request, note, { outcome: 'done', answer: madeBy(answer) }))
    } catch (error) {
      // An answer that never came may be a yes: then the request stays as it began, and so does its name.
      const outcome = isFinal(error) ? 'failed' : 'begun'
      await storage.commit(ended(request, note, { outcome, error: codeOf(error) }))
      throw error
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

  /** Stores the request before anything is asked. @throws ERR_ACTION_REFUSED while another process makes the same */
  const begin = async (request: ChangeRequest, note: Note): Promise<void> => {
    const moment = now()
    const busy_until =
      request.isExclusive === true ? new Date(moment.getTime() + answerMs).toISOString() : null
    const [known] = await storage.all(statements.find, { id: request.name })
    if (known !== undefined) {
      const isBusy = known.busy_until !== null && known.busy_until > moment.toISOString()
      if (!isBusy && known.outcome === 'begun' && busy_until === null) return
      if (!isBusy && (await wasCommitted(again(request.name, busy_until)))) return
      throw underWay()
    }
    const row = { ...rowOf(request), at: moment.toISOString(), outcome: 'begun', busy_until }
    const isOurs = await wasCommitted([
      step(statements.insert, row, 1),
      ...(note === null ? [] : [note.begun]),
    ])
    if (!isOurs && request.isExclusive === true) throw underWay()
  }

  const again = (id: string, busy_until: string | null): Step[] => [
    step(statements.again, { id, now: now().toISOString(), busy_until }, 1),
  ]

  const wasCommitted = async (steps: readonly Step[]): Promise<boolean> => {
    try {
      await storage.commit(steps)
      return true
    } catch (error) {
      if (error instanceof UnitConflict) return false
      throw error
    }
  }

  const ended = (
    { name }: ChangeRequest,
    note: Note,
    { outcome, answer = null, error = null }: Ended,
  ): readonly Step[] => [
    step(statements.end, { id: name, outcome, answer, error }),
    ...(note === null || outcome === 'begun' ? [] : [note.ended(outcome, error, { reason: note.reason })]),
  ]

  /**
   * An automatic rule never ends, shortens or makes dearer anything that was ever paid for, nor what a pause or a planned
   * change set up. @throws ERR_ACTION_REFUSED, and the operator's log says why
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
    // What an operator does is noted by the office and the commands, with what it was before.
    if (requestedBy.kind !== 'rule' && requestedBy.kind !== 'law') return null
    const action = actions[kind]
    if (action === undefined) return null
    const by = requestedBy.kind === 'rule' ? `rule: ${requestedBy.name}` : 'declaration'
    return { ...deeds.noting({ by, action, memberId, subject: object, key: `change ${name}` }), reason }
  }

  const requestsOf: Changes['requestsOf'] = ({ provider, account, id, kind }) =>
    storage.all(statements.ofObject, { provider, account, object_id: id, kind })

  const ask: Changes['ask'] = (request, args) =>
    perform(request, args, (answer, noted) => storage.commit(noted).then(() => answer))

  return { perform, ask, protectedBy, requestsOf }
}

/** The guarded way to every change at a provider. */
export interface Changes {
  /** Makes the change. `takeIn` writes the steps that it is given in one unit with what the answer brought.
   *  @throws ERR_PROVIDER_UNSUPPORTED, ERR_ACTION_REFUSED, and what the provider's method throws */
  perform<K extends ChangeKind, R>(
    request: ChangeRequest<K>,
    args: ChangeArgs<K>,
    takeIn: TakeIn<K, R>,
  ): Promise<R>
  /** The same for an answer that nothing is taken in of. @throws as `perform` */
  ask<K extends ChangeKind>(request: ChangeRequest<K>, args: ChangeArgs<K>): Promise<ChangeAnswer<K>>
  /** Why no automatic rule may end or change this subscription; null where one may. */
  protectedBy(subscription: Place): Promise<string | null>
  /** The stored requests of one kind about one object, the newest first. */
  requestsOf(object: Place & { readonly kind: ChangeKind }): Promise<readonly ChangeRequestRow[]>
}

interface Place {
  readonly provider: string
  readonly account: string
  readonly id: string
}

/** Closes the checkout of an intent whose buyer chose something else, so that nobody can pay it any more; null where the
 *  provider does not say that it is closed. @throws as `perform` */
export const closeCheckout = async (
  changes: Pick<Changes, 'ask'>,
  { provider, account }: { readonly provider: ProviderReader; readonly account: string },
  { id, checkoutId, memberId }: { id: string; checkoutId: string; memberId: string | null },
): Promise<ChangeAnswer<'expireCheckout'>> =>
  offers(provider, 'expireCheckout')
    ? changes.ask(
        {
          ...{ kind: 'expireCheckout', provider: provider.key, account, object: id, memberId },
          ...{ requestedBy: { kind: 'member' }, name: `expire:${id}`, mayRepeat: true },
          reason: 'the buyer chose something else',
        },
        { checkoutId },
      )
    : null

/** Whether a provider offers a change. */
export const offers = (provider: ProviderReader | undefined, kind: ChangeKind): boolean =>
  (provider as Provider | undefined)?.[kind] !== undefined

type Note = (ReturnType<Deeds['noting']> & { readonly reason: string }) | null

interface Ended {
  readonly outcome: 'begun' | 'done' | 'failed'
  readonly answer?: string | null
  readonly error?: string | null
}

// Opening, closing and completing a checkout, and a customer's name, end and charge nothing that was not agreed to.
const guarded: ReadonlySet<ChangeKind> = new Set<ChangeKind>([
  'cancel',
  'swap',
  'schedule',
  'unschedule',
  'pause',
  'resume',
  'refund',
])

const actions: Readonly<Partial<Record<ChangeKind, DeedName>>> = {
  cancel: 'cancel',
  resume: 'resume',
  swap: 'change',
  schedule: 'change',
  unschedule: 'change',
  refund: 'refund',
  expireCheckout: 'close-checkout',
}

/** Money was taken, also where it went back since. */
const wasCharged = ({ status, data }: { status: string; data: string }): boolean =>
  !['pending', 'failed'].includes(status) &&
  ((JSON.parse(data) as Pick<PaymentData, 'amount'> | null)?.amount ?? 1) > 0

const rowOf = (request: ChangeRequest) => ({
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
})

/** The id of the refund that an answer tells of. */
const madeBy = (answer: unknown): string | null => {
  const { changes = [] } = (answer ?? {}) as {
    changes?: readonly { type: string; kind?: string; id?: string }[]
  }
  return changes.find(({ type, kind }) => type === 'money' && kind === 'refund')?.id ?? null
}

const codeOf = (error: unknown): string => (isMembershipError(error) ? error.code : 'ERR_UNEXPECTED')

const lacking = ({ provider, kind }: ChangeRequest): MembershipError =>
  new MembershipError('ERR_PROVIDER_UNSUPPORTED', `The provider "${provider}" has no "${kind}" here.`, {
    action: 'Use the provider’s own page or its dashboard.',
  })

const underWay = (): MembershipError =>
  new MembershipError('ERR_ACTION_REFUSED', 'The same is being done right now.', {
    action: 'Look again in a minute.',
  })

// After a provider's slowest answer, tries included.
const answerMs = 90_000
