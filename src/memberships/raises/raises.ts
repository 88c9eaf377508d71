import type { PlanConfig } from '../../core/config/index.ts'
import { type Price, type Subscription, type SubscriptionData, toSubscription } from '../../core/dto/index.ts'
import { normalEmail } from '../../core/email.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import { fingerprint } from '../../core/http/tokens.ts'
import { clockSkewMs } from '../../core/jobs/clocks.ts'
import type { Outbox } from '../../core/jobs/outbox.ts'
import type { Log } from '../../core/log.ts'
import { toDate } from '../../core/moment.ts'
import {
  createClaim,
  pagesOf,
  retryOnConflict,
  type Step,
  type Storage,
  step,
  UnitConflict,
} from '../../core/storage/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { Catalogue } from '../catalogue/index.ts'
import type { SingleAction } from '../checkout/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { createCurrent, type User } from '../members/index.ts'
import { isFinal, offers } from '../subscriptions/index.ts'
import { providerAt } from '../verification/index.ts'
import { type Decision, decideRaise, firstCharge, isLeaving, leadMs, noticeWindow } from './decide.ts'
import {
  type Candidate,
  candidatesOf,
  candidatesPerPage,
  countRaised,
  isOpenRow,
  listRaised,
  listRaises,
  openStates,
  type RaisedKey,
  type RaisedMember,
  type RaisedRow,
  type RaiseRow,
  type RaiseState,
  type RowChange,
  raiseQueue,
  raiseStatements,
} from './statements.ts'

/** A raise to order. */
export interface RaiseRequest {
  /** The price that members pay now. */
  readonly from: string
  /** The dearer price of the same plan, provider, currency and interval. */
  readonly to: string
  /** The first day whose renewals may charge the new price; a day, or a moment in ISO 8601 with its offset. */
  readonly on: string
  /** Days between the notice and the first charge. */
  readonly noticeDays: number
  /** True where silence keeps the old price. Default: true for a shop of the European Economic Area. */
  readonly needsConsent?: boolean | undefined
  /** Addresses, member ids or subscription ids that keep the old price. */
  readonly keep?: readonly string[]
  /** Members whose subscription began before this day keep the old price; written like `on`. */
  readonly before?: string | null
}

/** The effect of a raise on one subscription. */
export interface RaisePlanMember {
  readonly provider: string
  readonly account: string
  readonly subscription_id: string
  readonly member_id: string | null
  readonly email: string | null
  readonly does: 'raise' | 'keep'
  /** Why the old price is kept; null for a raise. */
  readonly reason: KeptReason | null
  readonly quantity: number
  /** Minor units for one piece, before and after. */
  readonly from_amount: number | null
  readonly to_amount: number | null
  readonly currency: string | null
  /** The first renewal at the new price, as far as it is known now; null if the membership is ending. */
  readonly first_at: string | null
  /** True if the membership is ending: its raise waits, and its notice is sent if the member resumes. */
  readonly is_leaving: boolean
}
/** The names by which an exception may name a membership, in lower case. */
function namesOf({
  email,
  member_id,
  subscription_id,
}: Pick<RaisePlanMember, 'email' | 'member_id' | 'subscription_id'>): string[] {
  return [email, member_id, subscription_id].flatMap((name) => name?.toLowerCase() ?? [])
}

/** Why a membership keeps its price. */
export type KeptReason =
  | 'exempt'
  | 'before'
  | 'no_address'
  | 'cannot'
  | 'several_prices'
  | 'not_dearer'
  | 'other_currency'
  | 'raised_already'

/** A raise before it is ordered. */
export interface RaisePlan {
  readonly id: string
  readonly provider: string
  readonly from: string
  readonly to: string
  readonly starts_at: string
  readonly notice_days: number
  readonly needs_consent: boolean
  /** The way to give the provider the new price: with a change for the next period, at once without a bill, or not at all. */
  readonly provider_can: 'schedule' | 'set' | 'asks_buyer' | 'nothing'
  readonly members: readonly RaisePlanMember[]
  /** Names among the exceptions that no membership at the old price has: a typing error would raise somebody. */
  readonly unknown_exceptions: readonly string[]
}

/** An ordered raise, with its subscriptions counted by state. */
export interface Raise extends Omit<RaiseRow, 'needs_consent'> {
  readonly needs_consent: boolean
  readonly states: Readonly<Partial<Record<RaiseState, number>>>
}

export interface RaisesDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly once: SingleAction
  readonly outbox: Pick<Outbox, 'steps'>
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly catalogue: Pick<Catalogue, 'all' | 'waitForPrices' | 'loadReplacements'>
  readonly findMember: (id: string) => Promise<User | null>
  /** True where the shop's law asks for consent. */
  readonly needsConsent: boolean
  /** True for a member whose law asks for a notice in the last 30 to 7 days before the charge. */
  readonly hasNoticeWindow: (memberId: string) => Promise<boolean>
  /** @throws ERR_NO_MAIL where the site sends no mails */
  readonly requireMails: () => void
  readonly now: () => Date
  readonly log: Log
}

/**
 * Price raises: a plan, a notice to each member, and the new price at a later renewal. The new price reaches the
 * provider through the guarded module, by the operator who ordered the raise, and never without a notice that was
 * handed over in time.
 */
export function createRaises(deps: RaisesDeps) {
  const { storage, ledger, once, outbox, providers, catalogue, findMember, now, log } = deps
  const statements = raiseStatements(storage)
  const { become, becomeSteps } = createRowChanges({ storage, statements, at: () => at() })
  const { find, list, show, members, openOf } = createRaiseReader(storage, statements)
  const claim = createClaim(storage, raiseQueue(leaseMs))
  const at = (): string => now().toISOString()
  /** Waits for the first reading of the providers' prices. @throws ERR_BUSY, ERR_PROVIDER_ANSWER */
  const waitForPrices = async (): Promise<void> => {
    await Promise.all([...providers.keys()].map(catalogue.waitForPrices))
  }

  /** Finds both prices. A site that has just started may not know their names and amounts yet. */
  const findPrices = async (request: RaiseRequest): Promise<{ from: Price; to: Price }> => {
    const isKnown = (name: string): boolean => (priceNamed(name, catalogue.all())?.amount ?? null) !== null
    if (!isKnown(request.from) || !isKnown(request.to)) await waitForPrices()
    return pricesOf(request, catalogue.all())
  }

  /**
   * Lists what a raise would do. Changes nothing.
   * @throws ERR_USAGE for prices that are no raise, ERR_BUSY where prices are still being read, ERR_PROVIDER_ANSWER
   */
  const plan = async (ordered: RaiseRequest): Promise<RaisePlan> => {
    const request = withDates(ordered)
    const { from, to } = await findPrices(request)
    const raise = await rowOf(request, { from, to })
    const provider_can = ability(providers.get(from.provider))
    const exempt = new Set((request.keep ?? []).map((name) => name.trim().toLowerCase()))
    const members: RaisePlanMember[] = []
    const unknown = new Set(exempt)
    for await (const candidate of candidatesIn(raise)) {
      const options = { raise, request, from, to, exempt, canRaise: canRaise(provider_can) }
      const member = planMember(candidate, options)
      members.push(member)
      if (unknown.size > 0) for (const name of namesOf(member)) unknown.delete(name)
    }
    return {
      id: raise.id,
      provider: raise.provider,
      from: from.id,
      to: to.id,
      starts_at: raise.starts_at,
      notice_days: raise.notice_days,
      needs_consent: raise.needs_consent === 1,
      provider_can,
      members,
      unknown_exceptions: [...unknown],
    }
  }

  /** Every living subscription at the old price, page by page. */
  async function* candidatesIn(raise: RaiseRow): AsyncGenerator<Candidate> {
    const first = { account: '', id: '' }
    for await (const page of pagesOf<Candidate>(candidatesPerPage, (last) =>
      candidatesOf(storage, raise, last ?? first),
    ))
      yield* page
  }

  /** The raise of these terms: the one that was begun, or a new one. One that was undone is not begun again. */
  const rowOf = async (
    { on, noticeDays, needsConsent = deps.needsConsent }: RaiseRequest,
    { from, to }: { from: Price; to: Price },
  ): Promise<RaiseRow> => {
    for (let round = 1; ; round++) {
      const id = fingerprint(JSON.stringify([from.provider, from.id, to.id, on, round])).slice(0, 12)
      const [known] = await storage.all(statements.raise, { id })
      if (known?.status === 'undone') continue
      return (
        known ?? {
          id,
          provider: from.provider,
          from_price: from.id,
          to_price: to.id,
          starts_at: on,
          notice_days: noticeDays,
          needs_consent: needsConsent ? 1 : 0,
          status: 'running',
          created_at: at(),
          created_by: '',
        }
      )
    }
  }

  const planMember = (
    { account, id, data, member_id, email, held }: Candidate,
    { raise, request, from, to, exempt, canRaise: can }: PlanOptions,
  ): RaisePlanMember => {
    const s = toSubscription(JSON.parse(data) as SubscriptionData)
    const reason = ((): KeptReason | null => {
      if (held !== null) return 'raised_already'
      if (!can) return 'cannot'
      if (s.items.length > 1) return 'several_prices'
      if (namesOf({ email, member_id, subscription_id: id }).some((name) => exempt.has(name))) return 'exempt'
      if (request.before && (s.started_at ?? '') < request.before) return 'before'
      if (member_id === null || email === null) return 'no_address'
      // Nothing says what the new price is in another currency, so no notice could name it.
      if (s.currency !== null && s.currency !== to.currency) return 'other_currency'
      if (s.unit_amount !== null && to.amount !== null && s.unit_amount >= to.amount) return 'not_dearer'
      return null
    })()
    return {
      provider: raise.provider,
      account,
      subscription_id: id,
      member_id,
      email,
      does: reason === null ? 'raise' : 'keep',
      reason,
      quantity: s.quantity ?? 1,
      ...amountsOf(s, from, to),
      first_at: reason === null && !isLeaving(s) ? firstRenewal(s, raise, now()) : null,
      is_leaving: isLeaving(s),
    }
  }

  /**
   * Begins a raise: each member is held by it and gets a notice, in one unit. Begun again after an interruption, it
   * goes on, and takes in members who came since.
   * @throws ERR_USAGE, ERR_NO_MAIL, ERR_PROVIDER_UNSUPPORTED
   */
  const begin = async (ordered: RaiseRequest, by: string): Promise<RaisePlan> => {
    const request = withDates(ordered)
    const planned = await plan(request)
    if (!canRaise(planned.provider_can))
      throw new MembershipError(
        'ERR_PROVIDER_UNSUPPORTED',
        planned.provider_can === 'asks_buyer'
          ? `${planned.provider} asks each buyer to approve another price on its own page.`
          : `${planned.provider} cannot change the price of a subscription from here.`,
        { action: 'Sell the new price to new members, and let members change to it in their account.' },
      )
    const row = await rowOf(request, await findPrices(request))
    // A raise of nobody would raise whoever comes to the old price until the same terms are asked for again.
    if (row.created_by === '' && !planned.members.some(({ does }) => does === 'raise'))
      throw new MembershipError(
        'ERR_USAGE',
        planned.members.length === 0
          ? `No membership runs at the price ${planned.from}. No raise was made.`
          : `Every membership at the price ${planned.from} keeps it. No raise was made.`,
        { action: 'Correct --from, or see who keeps the price and why: the same command without --write.' },
      )
    deps.requireMails()
    if (row.created_by === '') {
      const inserted = storage.commit([step(statements.insert, { ...row, created_by: by.slice(0, 200) })])
      // Another process began the same raise.
      await inserted.catch(async (error: unknown) => {
        if ((await storage.all(statements.raise, row)).length === 0) throw error
      })
    }
    // This process knows at once that the new price opens what the old one did.
    await catalogue.loadReplacements()
    const raised = planned.members.filter(({ does }) => does === 'raise')
    // A page of holds is written together.
    for (let from = 0; from < raised.length; from += candidatesPerPage)
      await Promise.all(raised.slice(from, from + candidatesPerPage).map((member) => hold(row, member)))
    return planned
  }

  /** `charged_at`: the renewal of a second notice. */
  const mail = (row: RaisedRow, kind: RaiseMail, round = '', charged_at?: string) =>
    outbox.steps([
      {
        id: `mail:${kind}:${row.raise_id}:${row.provider}:${row.account}:${row.subscription_id}${round}`,
        lane: `mail:${row.member_id}`,
        kind: 'raise-mail',
        payload: { kind, ...keyOf(row), ...(charged_at === undefined ? {} : { charged_at }) },
      },
    ])

  const hold = createHolding({ storage, statements, mail, at })

  /** Works on the subscriptions that are due. Returns how many. */
  const runDue = async (): Promise<number> => {
    let looked = 0
    for (;;) {
      const due = await claim(now(), 20)
      for (const row of due) {
        looked++
        await lookAt(row).catch((error: unknown) => logFailure(row, error))
      }
      if (due.length === 0) return looked
    }
  }

  /** Another process moved the row on meanwhile, or the provider fails: the row stays due. */
  const logFailure = (row: RaisedRow, error: unknown): void => {
    if (error instanceof UnitConflict) return
    log('a subscription could not be raised now', {
      raise: row.raise_id,
      subscription: row.subscription_id,
      reason: error instanceof Error ? error.message : String(error),
    })
  }

  const lookAt = async (row: RaisedRow): Promise<void> => {
    const [raise] = await storage.all(statements.raise, { id: row.raise_id })
    if (raise === undefined) return
    if (raise.status !== 'running') return takeBack(raise, row, raise.status as 'stopped' | 'undone')
    const before = await holderOf(row)
    const holder = before.user?.id ?? row.member_id
    const hasWindow = holder !== null && (await deps.hasNoticeWindow(holder))
    const known = { ...row, wasResumed: await wasResumed(row), hasWindow }
    const first = decideRaise(raise, known, before.subscription, now())
    if (first.does !== 'apply') return note(row, before.user, first)
    // Everything that happened at the provider until now counts.
    const { user, subscription } = await afterFetch(row)
    const decision = decideRaise(raise, known, subscription, now())
    if (decision.does !== 'apply' || user === null || subscription === null)
      return note(
        row,
        user,
        decision.does === 'apply' ? { does: 'close', state: 'left', reason: 'ended' } : decision,
      )
    await apply(raise, row, { user, subscription, at: decision.at })
  }

  // A provider that schedules changes drops the new price with a cancellation.
  const wasResumed = async ({ state, provider, account, subscription_id, applies_at }: RaisedRow) => {
    if (state !== 'planned' || applies_at === null) return false
    const [last] = await storage.all(statements.resumed, { provider, account, object_id: subscription_id })
    return last !== undefined && last.at >= afterMs(applies_at, -leadMs)
  }

  const note = (
    row: RaisedRow,
    user: User | null,
    decision: Exclude<Decision, { does: 'apply' }>,
  ): Promise<void> => {
    const member_id = user?.id ?? row.member_id
    if (decision.does === 'remind')
      return storage.commit([
        ...becomeSteps(row, { member_id, reason: null, look_at: afterMs(at(), 24 * hourMs) }),
        ...mail({ ...row, member_id }, 'price-raise', `:${decision.at}`, decision.at),
      ])
    if (decision.does === 'close')
      return become(row, { member_id, state: decision.state, reason: decision.reason, look_at: null })
    const turned = {
      planned: { state: 'planned' as const, request_id: null },
      open: { state: openState(row), applies_at: null, request_id: null },
    }
    const waits = { member_id, reason: decision.reason, look_at: decision.until }
    // No notice was sent while the membership was ending, or the raise stopped. It goes on: the days begin now.
    const isBack = unsentReasons.has(row.reason) && decision.reason === 'notice_not_sent'
    const notice = isBack ? mail({ ...row, member_id }, 'price-raise', `:${at()}`) : []
    const turn = decision.becomes === undefined ? {} : turned[decision.becomes]
    return storage.commit([...becomeSteps(row, { ...waits, ...turn }), ...notice])
  }

  const apply = async (
    raise: RaiseRow,
    row: RaisedRow,
    { user, subscription, at: renewal }: { user: User; subscription: Subscription; at: string },
  ): Promise<void> => {
    const provider = providerAt(providers, row.provider, row.account)
    const quantity = subscription.quantity ?? 1
    const isRepeated = row.state === 'requested' && row.applies_at === renewal && row.request_id !== null
    const request_id = isRepeated ? row.request_id! : requestName(row, renewal)
    // The row says that the call is on its way before it is, and asks in the same unit whether the raise still runs.
    const requested = { state: 'requested' as const, reason: null, applies_at: renewal, request_id }
    await storage.commit([
      step(statements.stillRuns, { id: raise.id }, 1),
      ...becomeSteps(row, { ...requested, member_id: user.id, look_at: afterMs(at(), retryMs) }),
    ])
    const sent: RaisedRow = { ...row, ...requested, member_id: user.id, revision: row.revision + 1 }
    const planned = { state: 'planned' as const, request_id: null, look_at: afterMs(renewal, hourMs) }
    // Where the row was moved on meanwhile, the provider's answer is written all the same.
    const after = [step(statements.become, becoming(sent, planned, at()))]
    const action = {
      mode: 'change' as const,
      price_id: raise.to_price,
      quantity,
      request: { raise: raise.id, to: raise.to_price, quantity, renewal },
      key: request_id,
    }
    const requestedBy = { kind: 'operator' as const, name: raise.created_by }
    const terms = { subscription, priceId: raise.to_price, quantity }
    try {
      if (provider !== undefined && offers(provider, 'schedule'))
        await once.perform(
          ...([user, subscription, action] as const),
          { kind: 'schedule', args: { ...terms, at: renewal }, requestedBy },
          { after },
        )
      else
        await once.perform(
          ...([user, subscription, action] as const),
          { kind: 'swap', args: { ...terms, proration: 'none', prorationAt: null }, requestedBy },
          { after },
        )
    } catch (error) {
      const reason = isMembershipError(error) ? error.code : 'ERR_UNEXPECTED'
      log('a price could not be raised now', { raise: raise.id, subscription: row.subscription_id, reason })
      const isBusy = isMembershipError(error, 'ERR_ACTION_REFUSED') && error.reason === 'busy'
      // A lost answer is asked for again under its name, and a busy membership under another one. A refusal is final
      // for this renewal.
      const failed = { reason: `failed ${reason}`, look_at: afterMs(at(), retryMs) }
      const refusedNow = { state: openState(row), applies_at: null, look_at: afterMs(renewal, hourMs) }
      if (isBusy) return become(sent, { ...failed, request_id: null })
      return become(sent, isFinal(error) ? { ...failed, ...refusedNow, request_id: null } : failed)
    }
    // Stopped or undone while the provider was being called: the change is taken back, too.
    const [now_] = await storage.all(statements.raised, row)
    const [current] = await storage.all(statements.raise, { id: raise.id })
    if (now_ === undefined || current === undefined) return
    if (current.status !== 'running') await takeBack(raise, now_, current.status as 'stopped' | 'undone')
    else if (now_.state === 'paused') await takeBack(raise, now_, 'paused')
  }

  /** Takes the new price back from the provider, unless it was charged, and says so in the row. */
  const takeBack = async (
    raise: RaiseRow,
    row: RaisedRow,
    to: 'undone' | 'stopped' | 'paused',
  ): Promise<void> => {
    // Nothing was sent to the provider, and a stopped raise goes on from here.
    if (to === 'stopped' && row.applies_at === null) return become(row, { look_at: null })
    const { user, subscription: s } = await afterFetch(row)
    const isCharged = row.applies_at !== null && row.applies_at <= at()
    if (isCharged && isOpenRow(row) && (s === null || s.price_id === raise.to_price))
      return become(row, { state: 'raised', reason: null, look_at: null, request_id: null })
    const steps = takenBack(row, to)
    const action = {
      mode: 'change' as const,
      price_id: raise.from_price,
      quantity: s?.quantity ?? 1,
      request: { raise: raise.id, back: raise.from_price },
    }
    const requestedBy = { kind: 'operator' as const, name: raise.created_by }
    const isPlanned = s?.scheduled_change?.price_id === raise.to_price
    const isSet = s?.price_id === raise.to_price && row.applies_at !== null
    if (user !== null && s !== null && isPlanned)
      await once.perform(
        ...([user, s, action] as const),
        { kind: 'unschedule', args: { subscriptionId: s.id }, requestedBy },
        { after: steps },
      )
    else if (user !== null && s !== null && isSet)
      await once.perform(
        ...([user, s, action] as const),
        {
          kind: 'swap',
          args: {
            subscription: s,
            priceId: raise.from_price,
            quantity: s.quantity ?? 1,
            proration: 'none',
            prorationAt: null,
          },
          requestedBy,
        },
        { after: steps },
      )
    else await storage.commit(steps)
  }

  const takenBack = (row: RaisedRow, to: 'undone' | 'stopped' | 'paused'): readonly Step[] => {
    // A call that was on its way is looked for once more, so the row keeps its renewal until then.
    const isOnItsWay = row.state === 'requested'
    const look_at = isOnItsWay ? afterMs(at(), retryMs) : null
    const rest = { applies_at: isOnItsWay ? row.applies_at : null, request_id: null, look_at }
    if (!isOpenRow(row)) return becomeSteps(row, rest)
    const turned = {
      undone: { state: 'undone' as const, reason: null },
      stopped: { state: openState(row), reason: null },
      paused: { state: 'paused' as const, reason: 'notice_bounced' },
    }
    const isTold = to === 'undone' && row.noticed_at !== null
    return [...becomeSteps(row, { ...turned[to], ...rest }), ...(isTold ? mail(row, 'price-raise-off') : [])]
  }

  /** Finds the subscription with its present owner, who may be another account after a merge. */
  const holderOf = async ({ provider, account, subscription_id: id }: RaisedRow) => {
    const [stored] = await storage.all(ledger.statements.subscription, { provider, account, id })
    const [row] = stored
      ? await storage.all(statements.owner, { provider, account, customer_id: stored.owner_id })
      : []
    const user = row?.member_id ? await findMember(row.member_id) : null
    const subscription =
      user?.subscriptions().find((s) => s.provider === provider && s.account === account && s.id === id) ??
      null
    return { user, subscription }
  }

  const afterFetch = async (row: RaisedRow) => {
    const { provider, account, subscription_id: id } = row
    const fetched = await providerAt(providers, provider, account)?.fetch?.({ kind: 'subscription', id })
    if (fetched)
      await ledger.apply(fetched.changes, {
        provider,
        account,
        id: `raise:${id}:${fetched.at}`,
        source: 'fetch',
        at: fetched.at,
      })
    return holderOf(row)
  }

  const turn = async (id: string, was: string, status: string): Promise<void> => {
    await find(id)
    try {
      // Whatever becomes of this process, each open row is looked at once more under the new status.
      await storage.commit([
        step(statements.status, { id, was, status }, 1),
        step(statements.wake, { raise_id: id, look_at: at() }),
      ])
    } catch (error) {
      if (!(error instanceof UnitConflict)) throw error
      const { status: found } = await find(id)
      if (found !== status)
        throw new MembershipError('ERR_USAGE', `The raise "${id}" is ${found}.`, {
          action: 'See it: membership prices list',
        })
    }
  }

  /** Takes the new price back from each open row, now. A row that another process holds is left to the jobs. */
  const takeAllBack = async (raise: RaiseRow, to: 'undone' | 'stopped'): Promise<void> => {
    for await (const row of openOf(raise.id))
      if (isOpenRow(row)) await takeBack(raise, row, to).catch((error: unknown) => logFailure(row, error))
  }

  /**
   * Undoes a raise for everybody who was not charged the new price. Members who had a notice get a mail.
   * @throws ERR_NOT_FOUND
   */
  const undo = async (id: string): Promise<Raise> => {
    const raise = await find(id)
    if (raise.status !== 'undone') await turn(id, raise.status, 'undone')
    await takeAllBack(raise, 'undone')
    return show(id)
  }

  /**
   * Stops a raise: no mail about it leaves, and nobody else is charged the new price until it is resumed.
   * @throws ERR_NOT_FOUND, ERR_USAGE
   */
  const stop = async (id: string): Promise<Raise> => {
    await turn(id, 'running', 'stopped')
    await takeAllBack(await find(id), 'stopped')
    return show(id)
  }

  /** @throws ERR_NOT_FOUND, ERR_USAGE */
  const resume = async (id: string): Promise<Raise> => {
    await turn(id, 'stopped', 'running')
    return show(id)
  }

  return {
    plan,
    begin,
    list,
    show,
    members,
    stop,
    resume,
    undo,
    runDue,
    ...createReplies({
      storage,
      statements,
      find,
      openOf,
      holderOf,
      becomeSteps,
      takeBack,
      mail,
      at,
      hasNoticeWindow: deps.hasNoticeWindow,
    }),
  }
}
export type Raises = ReturnType<typeof createRaises>

/** Writes what changes of rows. */
function createRowChanges({ storage, statements, at }: Pick<RepliesDeps, 'storage' | 'statements' | 'at'>) {
  const current = createCurrent(storage)

  /**
   * Writes what changes of a row, unless another process moved the row on since it was read.
   * @throws UnitConflict
   */
  const become = (row: RaisedRow, next: RowChange): Promise<void> => storage.commit(becomeSteps(row, next))
  const becomeSteps = (row: RaisedRow, next: RowChange): readonly Step[] => {
    const written = becoming(row, next, at())
    const { member_id } = written
    return member_id === null || member_id === row.member_id
      ? [step(statements.become, written, 1)]
      : current.steps(member_id, (write) => [write(statements.becomeOf, written, 1)])
  }

  return { become, becomeSteps }
}

/** Lets a raise hold the subscriptions of members, each with its notice in one unit. */
function createHolding({
  storage,
  statements,
  mail,
  at,
}: Pick<RepliesDeps, 'storage' | 'statements' | 'at'> & {
  readonly mail: (row: RaisedRow, kind: RaiseMail) => readonly Step[]
}) {
  const current = createCurrent(storage)

  const hold = (raise: RaiseRow, member: RaisePlanMember): Promise<void> =>
    retryOnConflict(async () => {
      const memberId = member.member_id === null ? null : await current.idOf(member.member_id)
      // An account that leaves ends its memberships.
      if (memberId !== null) await holdOf(raise, member, memberId)
    })

  const holdOf = async (raise: RaiseRow, member: RaisePlanMember, member_id: string): Promise<void> => {
    const { provider, account, subscription_id, from_amount, to_amount, currency } = member
    const row: RaisedRow = {
      raise_id: raise.id,
      provider,
      account,
      subscription_id,
      member_id,
      from_amount,
      to_amount,
      currency,
      state: 'noticed',
      reason: 'notice_not_sent',
      noticed_at: null,
      agreed_at: null,
      applies_at: null,
      look_at: at(),
      updated_at: at(),
      request_id: null,
      revision: 0,
      reminded_at: null,
    }
    try {
      await storage.commit([
        ...current.steps(member_id, (write) => [write(statements.hold, row, 1)]),
        ...mail(row, 'price-raise'),
      ])
    } catch (error) {
      // Another raise, or another process, holds it.
      if (!(error instanceof UnitConflict) || error.step !== statements.hold.ofMember.name) throw error
    }
  }

  return hold
}

/** Answers to a notice: from the mail server, from an operator, and from the member. */
function createReplies({
  storage,
  statements,
  find,
  openOf,
  holderOf,
  becomeSteps,
  takeBack,
  mail,
  at,
  hasNoticeWindow,
}: RepliesDeps) {
  /** Pauses the raise of a member whose notice bounced, at whichever provider. Returns how many subscriptions. */
  const bounced = async (raiseId: string, email: string): Promise<number> => {
    const raise = await find(raiseId)
    let paused = 0
    for await (const { state, ...key } of openOf(raiseId)) {
      if (state === 'paused' || !openStates.includes(state)) continue
      paused += await rewrite(key, async (row, { user }) => {
        if (user?.email !== normalEmail(email) || row.state === 'paused' || !isOpenRow(row)) return false
        await takeBack(raise, row, 'paused')
        return true
      })
    }
    return paused
  }

  /** Sends the notice again, after a bounce. The days of notice count anew. Returns how many. */
  const noticeAgain = async (raiseId: string, email: string): Promise<number> => {
    await find(raiseId)
    let sent = 0
    for await (const { state, ...key } of openOf(raiseId)) {
      if (state !== 'paused') continue
      sent += await rewrite(key, async (row, { user }) => {
        if (user?.email !== normalEmail(email) || row.state !== 'paused') return false
        const next = {
          state: 'noticed' as const,
          reason: 'notice_not_sent',
          noticed_at: null,
          reminded_at: null,
          agreed_at: null,
        }
        await storage.commit([
          ...becomeSteps(row, { ...next, member_id: user.id, look_at: at() }),
          ...mail({ ...row, member_id: user.id }, 'price-raise', `:${at()}`),
        ])
        return true
      })
    }
    return sent
  }

  /** Reads a row with its holder and changes it, again where another process changed it meanwhile. Returns 1 or 0. */
  const rewrite = (
    key: RaisedKey,
    change: (row: RaisedRow, holder: Awaited<ReturnType<RepliesDeps['holderOf']>>) => Promise<boolean>,
  ): Promise<number> =>
    retryOnConflict(async () => {
      const [row] = await storage.all(statements.raised, keyOf(key))
      return row !== undefined && (await change(row, await holderOf(row))) ? 1 : 0
    })

  /**
   * Notes that a notice was handed to the mail server, that it has no address to go to, or that it waits
   * because the membership is ending or the raise is stopped.
   */
  const noticed = (key: RaisedKey, how: 'sent' | 'unreachable' | 'leaving' | 'stopped'): Promise<unknown> =>
    rewrite(key, async (row) => {
      if (row.state !== 'noticed' || row.noticed_at !== null) return false
      const next = {
        sent: { noticed_at: at(), reason: null, look_at: at() },
        unreachable: { state: 'paused' as const, reason: 'notice_bounced', look_at: null },
        leaving: { reason: 'cancelled' },
        stopped: { reason: 'stopped' },
      }
      await storage.commit(becomeSteps(row, next[how]))
      return true
    })

  /** Notes that a second notice was handed to the mail server. */
  const reminded = (key: RaisedKey): Promise<unknown> =>
    rewrite(key, async (row) => {
      if (row.state !== 'noticed' && row.state !== 'agreed') return false
      await storage.commit(becomeSteps(row, { reminded_at: at(), look_at: at() }))
      return true
    })

  /** The raise of one subscription, for its mail and its page; null once it is over. */
  const lookUp = async (key: RaisedKey) => {
    const [row] = await storage.all(statements.raised, key)
    const [raise] = row === undefined ? [] : await storage.all(statements.raise, { id: row.raise_id })
    if (row === undefined || raise === undefined) return null
    const holder = await holderOf(row)
    const hasWindow = holder.user !== null && (await hasNoticeWindow(holder.user.id))
    const notice_days = hasWindow ? Math.max(raise.notice_days, noticeWindow.last) : raise.notice_days
    return { raise: { ...raise, notice_days }, row, ...holder }
  }

  /**
   * Notes that the member agrees, also after the day until which silence kept the old price.
   * @throws ERR_ACTION_REFUSED where a later raise holds the membership
   */
  const agree = async (key: RaisedKey): Promise<void> => {
    await rewrite(key, async (row) => {
      const isLate = row.state === 'kept' && row.reason === 'silence'
      if (row.agreed_at !== null || (row.state !== 'noticed' && !isLate)) return false
      if (isLate && (await isHeldByOther(row))) throw replaced()
      try {
        await storage.commit(
          becomeSteps(row, { state: 'agreed', reason: null, agreed_at: at(), look_at: at() }),
        )
      } catch (error) {
        // A later raise took the membership in the same moment.
        if (!(error instanceof UnitConflict) && (await isHeldByOther(row))) throw replaced()
        throw error
      }
      return true
    })
  }
  const isHeldByOther = async (row: RaisedRow): Promise<boolean> =>
    (await storage.all(statements.holding, row)).some(({ raise_id }) => raise_id !== row.raise_id)

  return { bounced, noticeAgain, noticed, reminded, lookUp, agree }
}

interface RepliesDeps extends Pick<ReturnType<typeof createRaiseReader>, 'find' | 'openOf'> {
  readonly storage: Storage
  readonly statements: ReturnType<typeof raiseStatements>
  readonly holderOf: (row: RaisedRow) => Promise<{ user: User | null; subscription: Subscription | null }>
  readonly becomeSteps: (row: RaisedRow, next: RowChange) => readonly Step[]
  readonly takeBack: (raise: RaiseRow, row: RaisedRow, to: 'paused') => Promise<void>
  readonly mail: (row: RaisedRow, kind: RaiseMail, round: string) => Step[]
  readonly at: () => string
  readonly hasNoticeWindow: RaisesDeps['hasNoticeWindow']
}

/** Reads raises and their subscriptions, for operators. */
function createRaiseReader(storage: Storage, statements: ReturnType<typeof raiseStatements>) {
  /** @throws ERR_NOT_FOUND */
  const find = async (id: string): Promise<RaiseRow> => {
    const [raise] = await storage.all(statements.raise, { id })
    if (raise !== undefined) return raise
    throw new MembershipError('ERR_NOT_FOUND', `There is no raise "${id}".`, {
      action: 'List them: membership prices list',
    })
  }

  /** Every open subscription of a raise, page by page. */
  async function* openOf(raise: string): AsyncGenerator<RaisedRow> {
    const first = { account: '', subscription_id: '' }
    const limit = candidatesPerPage
    for await (const page of pagesOf<RaisedRow & { email: string | null }>(limit, (last) =>
      listRaised(storage, raise, { after: last ?? first, limit }),
    ))
      yield* page.map(({ email: _, ...row }) => row)
  }

  /** Lists a page of the raises, newest first, after one of them. */
  const list = async (before: Pick<Raise, 'created_at' | 'id'> | null = null): Promise<Raise[]> => {
    const raises = await listRaises(storage, before)
    const counts = await countRaised(
      storage,
      raises.map(({ id }) => id),
    )
    return raises.map((raise) => counted(raise, counts))
  }

  const show = async (id: string): Promise<Raise> => {
    const raise = await find(id)
    return counted(raise, await countRaised(storage, [id]))
  }

  /** Lists a page of a raise's subscriptions. */
  const members = async (
    id: string,
    after: { account: string; subscription_id: string },
    limit: number,
  ): Promise<RaisedMember[]> =>
    (await listRaised(storage, id, { after, limit })).map(
      ({ revision: _, request_id: _request, ...row }) => row,
    )

  return { find, list, show, members, openOf }
}

export type RaiseMail = 'price-raise' | 'price-raise-off'

interface PlanOptions {
  readonly raise: RaiseRow
  readonly request: RaiseRequest
  readonly from: Price
  readonly to: Price
  readonly exempt: ReadonlySet<string>
  readonly canRaise: boolean
}

export function keyOf({ raise_id, provider, account, subscription_id }: RaisedKey): RaisedKey {
  return {
    raise_id,
    provider,
    account,
    subscription_id,
  }
}

/** Both amounts and their currency; null where the membership is charged in another one. */
function amountsOf(
  s: Subscription,
  from: Price,
  to: Price,
): Pick<RaisePlanMember, 'from_amount' | 'to_amount' | 'currency'> {
  return s.currency === null || s.currency === to.currency
    ? { from_amount: s.unit_amount ?? from.amount, to_amount: to.amount, currency: to.currency }
    : { from_amount: s.unit_amount, to_amount: null, currency: s.currency }
}

/** The row's state before anything was sent to the provider. */
function openState({ agreed_at }: RaisedRow): 'agreed' | 'noticed' {
  return agreed_at === null ? 'noticed' : 'agreed'
}

/** Reasons for which a notice was not sent, although its mail left the queue. */
const unsentReasons: ReadonlySet<string | null> = new Set(['cancelled', 'stopped'])

/** The parameters that write a change onto the row as it was read. */
function becoming(row: RaisedRow, next: RowChange, updated_at: string) {
  return {
    ...row,
    ...next,
    updated_at,
    revision: row.revision,
  }
}

function requestName(row: RaisedRow, renewal: string): string {
  return `raise_${fingerprint(JSON.stringify([...Object.values(keyOf(row)), renewal, row.revision])).slice(0, 24)}`
}

function counted(
  { needs_consent, ...raise }: RaiseRow,
  counts: Awaited<ReturnType<typeof countRaised>>,
): Raise {
  return {
    ...raise,
    needs_consent: needs_consent === 1,
    states: Object.fromEntries(
      counts
        .filter(({ raise_id }) => raise_id === raise.id)
        .map(({ state, count }) => [state, Number(count)]),
    ),
  }
}

function replaced(): MembershipError {
  return new MembershipError('ERR_ACTION_REFUSED', 'A later notice about this price replaced this one.', {
    reason: 'change_scheduled',
    action: 'Open the link in the newest mail about the price.',
  })
}

/** Dates in one form, because they are compared as text. @throws ERR_USAGE */
function withDates(request: RaiseRequest): RaiseRequest {
  return {
    ...request,
    on: toDate(request.on, 'on').toISOString(),
    before: request.before ? toDate(request.before, 'before').toISOString() : null,
  }
}

function priceNamed(name: string, plans: readonly PlanConfig[]): Price | undefined {
  return plans
    .flatMap(({ prices }) => prices)
    .find(({ id, lookup_key }) => id === name || lookup_key === name)
}

/** Finds both prices. @throws ERR_USAGE with what is wrong about them */
function pricesOf({ from: a, to: b, noticeDays }: RaiseRequest, plans: readonly PlanConfig[]) {
  const find = (name: string): Price => {
    const price = priceNamed(name, plans)
    if (price !== undefined) return price
    const ids = plans.flatMap(({ prices }) => prices.map(({ id }) => id))
    throw usage(`No plan has the price "${name}".`, `Name one of: ${ids.join(', ')}.`)
  }
  const [from, to] = [find(a), find(b)]
  if (from.provider !== to.provider || from.plan !== to.plan)
    throw usage('Both prices must belong to one plan of one provider.', 'Add the new price to the plan.')
  if (from.interval === null || from.interval !== to.interval || from.interval_count !== to.interval_count)
    throw usage('Both prices must be paid in the same rhythm.', 'Name two prices with one interval.')
  if (from.choose !== undefined || to.choose !== undefined)
    throw usage('An amount that members choose is not raised.', 'Raise `min` of the price for new members.')
  if (from.currency !== to.currency)
    throw usage('Both prices must have one currency.', 'Name two such prices.')
  if (from.amount === null || to.amount === null || to.amount <= from.amount)
    throw usage('The new price must be dearer than the old one.', 'A cheaper price needs no raise.')
  if (!Number.isInteger(noticeDays) || noticeDays < 1)
    throw usage('Nobody is raised without notice.', 'Give at least one day: --notice 30d')
  return { from, to }
}

function usage(message: string, action: string): MembershipError {
  return new MembershipError('ERR_USAGE', message, { action })
}

function ability(provider: ProviderReader | undefined): RaisePlan['provider_can'] {
  if (provider?.capabilities?.asks_buyer === true) return 'asks_buyer'
  if (offers(provider, 'schedule') && offers(provider, 'unschedule')) return 'schedule'
  return offers(provider, 'swap') ? 'set' : 'nothing'
}

function canRaise(can: RaisePlan['provider_can']): boolean {
  return can === 'schedule' || can === 'set'
}

/** The first renewal at or after the start and the notice, in steps of the interval. */
function firstRenewal(s: Subscription, raise: RaiseRow, now: Date): string | null {
  return s.current_period_end === null || s.interval === null
    ? s.current_period_end
    : firstCharge(s, raise, now)
}

function afterMs(moment: string, ms: number): string {
  return new Date(Date.parse(moment) + ms).toISOString()
}

const hourMs = 3_600_000
// A lost answer's action can be repeated under its name while its claim is held.
const retryMs = 5 * 60_000
const leaseMs = 120_000 + clockSkewMs
