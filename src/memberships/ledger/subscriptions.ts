import { formerOf } from '../../core/dto/former.ts'
import type { SubscriptionData } from '../../core/dto/index.ts'
import { paidTimeOf, subscriptionStatuses, termsText, toMillisecond } from '../../core/dto/index.ts'
import type { SoldNow } from '../../core/dto/sold.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { SubscriptionChange } from '../../providers/contract.ts'
import {
  type Acceptance,
  type JudgedSubscription,
  joinSeen,
  type Seen,
  seenIn,
  seenOf,
  sharedIn,
  sharedOf,
  sharedText,
  siteOnly,
} from './acceptance.ts'
import { type Arrears, arrearsColumn, arrearsOf, failedSince, joinArrears, toArrears } from './arrears.ts'
import { digestOf, digestOfText } from './digest.ts'
import {
  firstColumns,
  isUnchanged,
  type Origin,
  snapshotHistory,
  toHistory,
  withSnapshot,
} from './history.ts'
import { isExcerpt } from './items.ts'
import { type Mark, markId } from './message-order.ts'
import type { Purchase } from './owner-facts.ts'
import { firstPauses, isPausing, joinPauses, pauseBegin, withPauses } from './pauses.ts'
import { boughtPrices, datedSold, joinSold, statesNoRhythm } from './sold.ts'
import type { FactRow, LedgerStatements, OtherSubscriptionRow, SubscriptionRow } from './statements/index.ts'

/** The steps for a subscription that an event describes. */
export interface PlannedFact {
  readonly steps: readonly Step[]
  readonly purchase: Purchase | null
  /** The moment of a tie that the evidence does not decide. */
  readonly contestedAt: string | null
}

/**
 * Assumes that a snapshot in good standing is the newest, and reads nothing. Its step fails if the assumption is wrong.
 */
export function planNewest(
  statements: LedgerStatements,
  change: SubscriptionChange,
  origin: Origin,
  sold: SoldNow,
): PlannedFact {
  const { data } = change
  const at = change.at ?? origin.at
  // Serialised once, for the digest and for the column.
  const json = JSON.stringify(data)
  const mark = toMark(change, origin, digestOfChange(change, json))
  const row = toRow(data, origin, {
    columns: firstColumns(mark, at, withOurs(json, origin, at)),
    paused: firstPauses(data, at),
    arrears: null,
    sold: soldOf(undefined, { at, data, present: data }, origin, sold),
    shared: sharedText(sharedOf(change)),
  })
  return {
    steps: [step(statements.subscriptionNewer, row, 1)],
    purchase: isBought(change) ? toPurchase(data) : null,
    contestedAt: null,
  }
}

/**
 * True if planning needs the row: only the row shows when a payment began to fail, which items an event left out, earlier
 * pauses, and under which terms each of several items was bought.
 */
export function needsRow({ data }: SubscriptionChange): boolean {
  return data.status === 'past_due' || data.cut === true || data.items.length > 1 || isPausing(data)
}

/** Plans a snapshot together with the stored ones. */
export async function planAmongKnown(input: {
  storage: Storage
  statements: LedgerStatements
  change: SubscriptionChange
  origin: Origin
  sold: SoldNow
}): Promise<PlannedFact> {
  const { storage, statements, change, origin, sold } = input
  const { provider, account } = origin
  const [known] = await storage.all(statements.subscription, { provider, account, id: change.id })
  const { row, isSame, purchase, contestedAt } = addSnapshot(known, change, origin, sold)
  const write = known ? statements.subscriptionUpdate : statements.subscriptionInsert
  return { steps: isSame ? [] : [step(write, row, 1)], purchase, contestedAt }
}

/** Adds a snapshot to a stored row. Returns the row to write. */
function addSnapshot(
  known: KnownRow | undefined,
  change: SubscriptionChange,
  origin: Origin,
  soldNow: SoldNow,
): Added {
  const at = change.at ?? origin.at
  const mark = toMark(change, origin, digestOfChange(change))
  const added = snapshotHistory(mark, at, toData(change, origin, at))
  const { content, columns } = withSnapshot(known && bare(known), added)
  const contestedAt = columns.contested === 1 ? columns.at : null
  const formers = known && known.owner_id !== ownerOf(content) ? [known.owner_id] : []
  const purchased = isBought(change)
  // The current content decides the owner. Any event can show that it was ever bought.
  const purchase = purchased || formers.length > 0 ? { ...toPurchase(content), purchased, formers } : null
  const ownArrears = arrearsOf(change.data.status, at, change.before?.status, change.data.trial_ends_at)
  const joined = known ? joinArrears(toArrears(known), ownArrears) : ownArrears
  const arrears = arrearsColumn(joined, columns.at, content.trial_ends_at)
  const paused = withPauses(known, change.data, at)
  const isKnown = known?.arrears === arrears && known.pause_moments === paused.pause_moments
  const sold = soldOf(known, { at, data: change.data, present: content }, origin, soldNow)
  const before = known?.shared ?? null
  const shared = sharedText([...(known ? sharedIn(known) : []), ...sharedOf(change)])
  const row = completeRow(content, { columns, joined, arrears, paused, origin, sold, shared })
  const isSame = isUnchanged(known, columns) && isKnown && known.sold === sold && before === shared
  return { row, isSame, purchase, contestedAt }
}

/** A row that was read; one that waited has no terms yet. */
type KnownRow = Omit<SubscriptionRow, 'sold' | 'shared'> & Partial<Pick<SubscriptionRow, 'sold' | 'shared'>>

/** The terms of the prices that it has, and of those that it had. A late snapshot may name one that it had before. */
function soldOf(
  known: KnownRow | undefined,
  { at, data, present }: { at: string; data: Priced; present: Priced },
  origin: Origin,
  sold: SoldNow,
): string {
  const before = known === undefined ? [] : boughtPrices(JSON.parse(known.data) as Priced)
  const stored = known?.sold === undefined ? undefined : { sold: known.sold, prices: before }
  const sellsNow = (price: string) => sold(origin.provider, price)
  const now = boughtPrices(present)
  const own = data === present ? now : boughtPrices(data)
  const terms = joinSold(stored, own === now ? now : [...now, ...own], sellsNow, origin.isFound)
  if (!statesNoRhythm(data)) return terms
  const seen = [{ at, prices: own }, ...(known === undefined ? [] : [{ at: known.at, prices: before }])]
  return datedSold(terms, seen, now)
}

type Priced = Pick<SubscriptionData, 'price_id' | 'items' | 'interval'>

interface Added {
  readonly row: SubscriptionRow
  /** True if the stored row would not change. */
  readonly isSame: boolean
  readonly purchase: Purchase | null
  readonly contestedAt: string | null
}

function completeRow(
  content: SubscriptionData,
  given: {
    columns: FactRow
    joined: Arrears
    arrears: string | null
    paused: Pick<SubscriptionRow, 'pauses' | 'pause_moments'>
    origin: Origin
    sold: string | null
    shared: string | null
  },
): SubscriptionRow {
  const { columns, joined, arrears, paused, origin, sold, shared } = given
  const past_due_since = content.status === 'past_due' ? toMillisecond(failedSince(joined, columns.at)) : null
  // Only where the provider has a word of its own: a plan for a later pause may follow a resumption that nobody reported.
  const hasWord = content.paused_at !== null && content.provider_status !== null
  const paused_at = (hasWord ? pauseBegin(paused, columns.at) : undefined) ?? content.paused_at
  const data = JSON.stringify({ ...content, ...trialIn(content, joined), paused_at, past_due_since })
  return toRow(content, origin, { columns: { ...columns, data }, paused, arrears, sold, shared })
}

// A trial that nobody paid for stays known, so that its end gives no grace.
function trialIn({ status, trial_ends_at }: SubscriptionData, { trial }: Arrears): Partial<SubscriptionData> {
  return status === 'past_due' && trial_ends_at === null && trial !== undefined
    ? { trial_ends_at: trial }
    : {}
}

/** The steps for a subscription at a provider where not everything is this site's, and how it stands. */
export interface JudgedFact extends PlannedFact, JudgedSubscription {
  /** True if it was not stored as this site's before. */
  readonly isNew: boolean
  /** The customer, or its own id without one. */
  readonly ownerId: string
  /** The row that waited; undefined where none did. */
  readonly waited: OtherSubscriptionRow | undefined
  /** True if it has more items beside others than before, so that its payments are judged again. */
  readonly isShared: boolean
}

/** Plans a snapshot whose prices a plan names as the newest. Its steps fail where an earlier one waits. */
export function planNewestNamed(
  statements: LedgerStatements,
  change: SubscriptionChange,
  origin: Origin,
  sold: SoldNow,
): JudgedFact {
  const { provider, account } = origin
  const planned = planNewest(statements, change, origin, sold)
  const absent = step(statements.otherStands, { provider, account, id: change.id }, 0)
  return {
    ...planned,
    steps: [...planned.steps, absent],
    standing: 'accepted',
    reason: 'price_of_plan',
    ownerId: change.data.customer_id ?? change.id,
    isNew: true,
    waited: undefined,
    row: null,
    isShared: false,
  }
}

/**
 * Plans a snapshot where it belongs: among this site's subscriptions, or beside them. Without a change, it asks again
 * about a subscription that waits. Each snapshot ever seen counts, so the order of events does not matter.
 */
export async function planJudged(input: {
  storage: Storage
  statements: LedgerStatements
  acceptance: Pick<Acceptance, 'ofSubscription'>
  id: string
  change: SubscriptionChange | null
  origin: Origin
  /** True if its own checkout stands in the same unit. */
  isOwn: boolean
  /** Gives it back to the other shop, whose items are all that it has now. */
  isReleased?: boolean
  sold: SoldNow
}): Promise<JudgedFact | null> {
  const { storage, statements, acceptance, id, change, origin } = input
  const key = { provider: origin.provider, account: origin.account, id }
  const [own] = await storage.all(statements.subscription, key)
  const [waited] = await storage.all(statements.otherSubscription, key)
  const beside = waited && { ...waited, shared: sharedText(seenIn(waited).shared ?? []) }
  const stored: KnownRow | undefined = own && beside ? joinRows(own, beside, origin) : (own ?? beside)
  const { isReleased = false } = input
  if (change === null && waited === undefined && !(isReleased && own !== undefined)) return null
  const added =
    change === null ? asStored(stored!, origin, input.sold) : addSnapshot(stored, change, origin, input.sold)
  const data = JSON.parse(added.row.data) as SubscriptionData
  const seen = joinSeen(joinedSeen(waited, change), {
    items: [],
    bought: false,
    ...(isReleased ? { released: true } : {}),
  })
  const isCut = isExcerpt(added.row.items)
  const { standing, reason } = await acceptance.ofSubscription(origin, {
    id,
    owner_id: added.row.owner_id,
    seen,
    now: data,
    isCut,
    isOwn: own !== undefined || input.isOwn,
  })
  const { shared } = added.row
  const judged = {
    standing,
    reason,
    waited,
    isNew: own === undefined,
    ownerId: added.row.owner_id,
    contestedAt: added.contestedAt,
    isShared: standing === 'accepted' && shared !== null && shared !== (own?.shared ?? null),
  }
  if (standing === 'accepted') {
    const write = own ? statements.subscriptionUpdate : statements.subscriptionInsert
    const isKept = own !== undefined && waited === undefined && added.isSame
    const leave = waited ? step(statements.otherDelete, waited, 1) : step(statements.otherStands, key, 0)
    const moved =
      waited && seen.bought ? { ...toPurchase(data), purchased: true, formers: formersOf(added) } : null
    return {
      ...judged,
      row: isKept ? null : added.row,
      steps: [...(isKept ? [] : [step(write, withoutSeen(added.row), 1)]), leave],
      purchase: moved ?? added.purchase,
    }
  }
  const row = toOtherRow(standing === 'foreign' ? withoutNotes(added.row) : added.row, seen, waited)
  const isKept =
    waited !== undefined &&
    own === undefined &&
    added.isSame &&
    waited.seen === row.seen &&
    waited.data === row.data
  const write = waited ? statements.otherUpdate : statements.otherInsert
  const leave = own ? step(statements.subscriptionDelete, own, 1) : step(statements.ownStands, key, 0)
  return {
    ...judged,
    row: null,
    steps: isKept ? [] : [leave, step(write, row, 1)],
    purchase: null,
  }
}

/** The row of a subscription that is not accepted. Its terms are none of this site's. */
function toOtherRow(
  { sold: _, shared, ...row }: SubscriptionRow,
  seen: Seen,
  waited: OtherSubscriptionRow | undefined,
): OtherSubscriptionRow {
  return {
    ...row,
    seen: JSON.stringify(shared === null ? seen : { ...seen, shared: JSON.parse(shared) }),
    ...(waited === undefined ? {} : { revision: waited.revision }),
  }
}

function formersOf({ purchase }: Added): readonly string[] {
  return purchase?.formers ?? []
}

function asStored(row: KnownRow, origin: Origin, sold: SoldNow): Added {
  return {
    row: { ...row, sold: row.sold ?? soldStored(row, origin, sold), shared: sharedText(sharedIn(row)) },
    isSame: true,
    purchase: null,
    contestedAt: null,
  }
}

function soldStored(row: KnownRow, origin: Origin, sold: SoldNow): string {
  const data = JSON.parse(row.data) as Priced
  return soldOf(row, { at: row.at, data, present: data }, origin, sold)
}

function joinedSeen(waited: OtherSubscriptionRow | undefined, change: SubscriptionChange | null): Seen {
  const parts = [...(waited ? [seenIn(waited)] : []), ...(change ? [seenOf(change)] : [])]
  return parts.reduce(joinSeen, { items: [], bought: false })
}

// A row that was read has the columns of its own table.
function withoutSeen(row: SubscriptionRow & { seen?: string }): SubscriptionRow {
  const { seen: _, ...rest } = row
  return rest
}

/** Leaves out what the other shop noted with its subscription; the id of another site stays. */
function withoutNotes(row: SubscriptionRow): SubscriptionRow {
  const bareOf = (data: SubscriptionData): SubscriptionData => ({
    ...data,
    metadata: siteOnly(data.metadata),
  })
  const tied = row.tied === null ? null : (JSON.parse(row.tied) as Record<string, SubscriptionData>)
  return {
    ...row,
    data: JSON.stringify(bareOf(JSON.parse(row.data) as SubscriptionData)),
    tied:
      tied === null
        ? null
        : JSON.stringify(
            Object.fromEntries(Object.entries(tied).map(([digest, data]) => [digest, bareOf(data)])),
          ),
  }
}

/** Joins two rows of one subscription, of which two processes wrote one each. */
function joinRows(
  own: SubscriptionRow,
  waited: OtherSubscriptionRow & { readonly shared: string | null },
  origin: Origin,
): SubscriptionRow {
  const { content, columns } = withSnapshot(bare(own), toHistory<SubscriptionData>(bare(waited)))
  const joined = joinArrears(toArrears(own), toArrears(waited))
  const arrears = arrearsColumn(joined, columns.at, content.trial_ends_at)
  const paused = joinPauses(own, waited)
  const shared = sharedText([...sharedIn(own), ...sharedIn(waited)])
  return completeRow(content, { columns, joined, arrears, paused, origin, sold: own.sold, shared })
}

/** Records that a subscription was overdue in this snapshot, however old. */
export function overdueSteps(
  statements: LedgerStatements,
  change: SubscriptionChange,
  origin: Origin,
): Step[] {
  const { provider, account } = origin
  if (change.data.status !== 'past_due') return []
  const at = toMillisecond(change.at ?? origin.at)
  return [step(statements.overdueSeen, { provider, account, subscription_id: change.id, at })]
}

/** Records a snapshot's terms for its month, however old. Changes within one millisecond keep their order. */
export function recurringSteps(
  statements: LedgerStatements,
  change: SubscriptionChange,
  origin: Origin,
): Step[] {
  const { provider, account } = origin
  const at = change.at ?? origin.at
  const terms = termsText(change.data, change.data.cut === true)
  const place = { provider, account, subscription_id: change.id, month: at.slice(0, 7) }
  const rank = 100 * lateness(change, origin, terms) + rankOf(change.data)
  return [step(statements.recurringSeen, { ...place, at, rank, terms })]
}

/**
 * Orders the terms of one moment, by the snapshot alone, so the order of arrival does not matter. Stripe's moments are
 * seconds: a price may change in the second of a renewal. The event that states other terms before it shows the last ones.
 */
function lateness({ stage, before, data }: SubscriptionChange, { source }: Origin, terms: string): number {
  if (source === 'fetch') return 4
  if (stage === 'deleted') return 3
  if (stage === 'created') return 0
  return before !== undefined && termsText(before, data.cut === true) !== terms ? 2 : 1
}

/** The row as its snapshot alone would make it. When the payment began to fail is not the snapshot's own statement. */
function bare<R extends KnownRow>(row: R): R {
  return row.status === 'past_due'
    ? {
        ...row,
        data: JSON.stringify({
          ...(JSON.parse(row.data) as SubscriptionData),
          ...(toArrears(row).trial === undefined ? {} : { trial_ends_at: null }),
          past_due_since: null,
        }),
      }
    : row
}

/** The owner of a purchase without a customer is the purchase itself. */
function ownerOf(data: Owned): string {
  return data.customer_id ?? data.id
}

type Owned = Pick<SubscriptionData, 'id' | 'customer_id'>

function toPurchase(data: Owned): Purchase {
  return {
    ownerId: ownerOf(data),
    guest: data.customer_id === null,
  }
}

/** A subscription with an unpaid first invoice is no purchase yet. */
function isBought({ data }: SubscriptionChange): boolean {
  return data.status !== 'incomplete' && data.status !== 'expired'
}

/** The fields that this package adds to every snapshot. */
function oursOf({ provider, account }: Origin, at: string) {
  return {
    provider,
    account,
    updated_at: toMillisecond(at),
    past_due_since: null,
  }
}

/** Same as `toData`, on JSON text. */
function withOurs(json: string, origin: Origin, at: string): string {
  return `${json.slice(0, -1)},${JSON.stringify(oursOf(origin, at)).slice(1)}`
}

// V8 takes five times as long to spread this many properties with four more.
function toData(change: SubscriptionChange, origin: Origin, at: string): SubscriptionData {
  const ours = oursOf(origin, at)
  // `normalChanges` made sure that each snapshot states its mode.
  const data = change.data as typeof change.data & { livemode: boolean }
  if (data.cut !== true) return Object.assign({}, data, ours)
  // `cut` goes last, as in a stored row, because contents are compared as text.
  const { cut, ...rest } = data
  return Object.assign({}, rest, ours, { cut })
}

/** The snapshot as its stored events are known again: a later reading of one event is no other event. */
function identityOf({ data, amount_listed }: SubscriptionChange): SubscriptionChange['data'] {
  const reading = formerOf(data) ?? data
  return amount_listed === true ? { ...reading, unit_amount: null } : reading
}

function digestOfChange(change: SubscriptionChange, json?: string): string {
  const identity = identityOf(change)
  return identity === change.data
    ? digestOfText(identity, json ?? JSON.stringify(identity))
    : digestOf(identity)
}

function toMark(change: SubscriptionChange, { id, source }: Origin, digest: string): Mark {
  const { before, stage } = change
  const follows = before === undefined ? null : digestOf(before)
  return {
    id: markId({ id, source }, follows),
    digest,
    follows,
    stage,
    rank: rankOf(identityOf(change)),
    source,
  }
}

function rankOf(data: Pick<SubscriptionData, 'status' | 'cancel_at' | 'cancel_at_period_end'>): number {
  return subscriptionStatuses.indexOf(data.status) * 2 + (isEnding(data) ? 1 : 0)
}

function isEnding(data: Pick<SubscriptionData, 'cancel_at' | 'cancel_at_period_end'>): boolean {
  return data.cancel_at_period_end || data.cancel_at !== null
}

function toRow(
  data: Pick<
    SubscriptionData,
    | 'id'
    | 'customer_id'
    | 'status'
    | 'price_id'
    | 'cancel_at'
    | 'cancel_at_period_end'
    | 'trial_ends_at'
    | 'started_at'
    | 'ended_at'
    | 'canceled_at'
  >,
  { provider, account }: Origin,
  {
    columns,
    paused,
    arrears,
    sold,
    shared,
  }: {
    columns: FactRow
    paused: Pick<SubscriptionRow, 'pauses' | 'pause_moments'>
    arrears: string | null
    sold: string | null
    shared: string | null
  },
): SubscriptionRow {
  const paid = paidTimeOf(data, columns.at)
  // Every column is written out: this runs for each event, and V8 takes several times as long to spread them.
  return {
    provider,
    account,
    id: data.id,
    owner_id: ownerOf(data),
    status: data.status,
    price_id: data.price_id,
    ending: isEnding(data) ? 1 : 0,
    trial_ends_at: data.trial_ends_at,
    begun_at: paid?.from ?? null,
    over_at: paid?.until ?? null,
    pauses: paused.pauses,
    pause_moments: paused.pause_moments,
    arrears,
    data: columns.data,
    items: columns.items,
    at: columns.at,
    source: columns.source,
    marks: columns.marks,
    tied: columns.tied,
    prior_at: columns.prior_at,
    prior_marks: columns.prior_marks,
    contested: columns.contested,
    sold,
    shared,
    revision: columns.revision,
  }
}
