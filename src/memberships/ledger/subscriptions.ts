import type { SubscriptionData } from '../../core/dto/index.ts'
import { paidTimeOf, subscriptionStatuses, termsText, toMillisecond } from '../../core/dto/index.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { SubscriptionChange } from '../../providers/contract.ts'
import { arrearsColumn, arrearsOf, failedSince, joinArrears, toArrears } from './arrears.ts'
import { digestOf, digestOfText } from './digest.ts'
import { firstColumns, isUnchanged, type Origin, snapshotHistory, withSnapshot } from './history.ts'
import { type Mark, markId } from './message-order.ts'
import type { Purchase } from './owner-facts.ts'
import { firstPauses, isPausing, withPauses } from './pauses.ts'
import type { FactRow, LedgerStatements, SubscriptionRow } from './statements/index.ts'

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
export const planNewest = (
  statements: LedgerStatements,
  change: SubscriptionChange,
  origin: Origin,
): PlannedFact => {
  const { data } = change
  const at = change.at ?? origin.at
  // Serialised once, for the digest and for the column.
  const json = JSON.stringify(data)
  const mark = toMark(change, origin, digestOfText(data, json))
  const row = toRow(data, origin, {
    columns: firstColumns(mark, at, withOurs(json, origin, at)),
    paused: firstPauses(data, at),
    arrears: null,
  })
  return {
    steps: [step(statements.subscriptionNewer, row, 1)],
    purchase: isBought(change) ? toPurchase(data) : null,
    contestedAt: null,
  }
}

/**
 * True if planning needs the row: only the row shows when a payment began to fail, which items an event left out, and
 * earlier pauses.
 */
export const needsRow = ({ data }: SubscriptionChange): boolean =>
  data.status === 'past_due' || data.cut === true || isPausing(data)

/** Plans a snapshot together with the stored ones. */
export const planAmongKnown = async (input: {
  storage: Storage
  statements: LedgerStatements
  change: SubscriptionChange
  origin: Origin
}): Promise<PlannedFact> => {
  const { storage, statements, change, origin } = input
  const { provider, account } = origin
  const at = change.at ?? origin.at
  const [known] = await storage.all(statements.subscription, { provider, account, id: change.id })
  const mark = toMark(change, origin, digestOf(change.data))
  const added = snapshotHistory(mark, at, toData(change, origin, at))
  const { content, columns } = withSnapshot(known && bare(known), added)
  const contestedAt = columns.contested === 1 ? columns.at : null
  const formers = known && known.owner_id !== ownerOf(content) ? [known.owner_id] : []
  const purchased = isBought(change)
  // The current content decides the owner. Any event can show that it was ever bought.
  const purchase = purchased || formers.length > 0 ? { ...toPurchase(content), purchased, formers } : null
  const ownArrears = arrearsOf(change.data.status, at, change.before?.status)
  const joined = known ? joinArrears(toArrears(known), ownArrears) : ownArrears
  const arrears = arrearsColumn(joined, columns.at)
  const paused = withPauses(known, change.data, at)
  const isKnown = known?.arrears === arrears && known.pause_moments === paused.pause_moments
  if (isUnchanged(known, columns) && isKnown) return { steps: [], purchase, contestedAt }
  const past_due_since = content.status === 'past_due' ? toMillisecond(failedSince(joined, columns.at)) : null
  const data = JSON.stringify({ ...content, past_due_since })
  const row = toRow(content, origin, { columns: { ...columns, data }, paused, arrears })
  const write = known ? statements.subscriptionUpdate : statements.subscriptionInsert
  return { steps: [step(write, row, 1)], purchase, contestedAt }
}

/** Records that a subscription was overdue in this snapshot, however old. */
export const overdueSteps = (
  statements: LedgerStatements,
  change: SubscriptionChange,
  origin: Origin,
): Step[] => {
  const { provider, account } = origin
  if (change.data.status !== 'past_due') return []
  const at = toMillisecond(change.at ?? origin.at)
  return [step(statements.overdueSeen, { provider, account, subscription_id: change.id, at })]
}

/** Records a snapshot's terms for its month, however old. Changes within one millisecond keep their order. */
export const recurringSteps = (
  statements: LedgerStatements,
  change: SubscriptionChange,
  origin: Origin,
): Step[] => {
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
const bare = (row: SubscriptionRow): SubscriptionRow =>
  row.status === 'past_due'
    ? {
        ...row,
        data: JSON.stringify({ ...(JSON.parse(row.data) as SubscriptionData), past_due_since: null }),
      }
    : row

/** The owner of a purchase without a customer is the purchase itself. */
const ownerOf = (data: Owned): string => data.customer_id ?? data.id

type Owned = Pick<SubscriptionData, 'id' | 'customer_id'>

const toPurchase = (data: Owned): Purchase => ({
  ownerId: ownerOf(data),
  guest: data.customer_id === null,
})

/** A subscription with an unpaid first invoice is no purchase yet. */
const isBought = ({ data }: SubscriptionChange): boolean =>
  data.status !== 'incomplete' && data.status !== 'expired'

/** The fields that this package adds to every snapshot. */
const oursOf = ({ provider, account }: Origin, at: string) => ({
  provider,
  account,
  updated_at: toMillisecond(at),
  past_due_since: null,
})

/** Same as `toData`, on JSON text. */
const withOurs = (json: string, origin: Origin, at: string): string =>
  `${json.slice(0, -1)},${JSON.stringify(oursOf(origin, at)).slice(1)}`

// V8 takes five times as long to spread this many properties with four more.
const toData = (change: SubscriptionChange, origin: Origin, at: string): SubscriptionData => {
  const ours = oursOf(origin, at)
  // `normalChanges` made sure that each snapshot states its mode.
  const data = change.data as typeof change.data & { livemode: boolean }
  if (data.cut !== true) return Object.assign({}, data, ours)
  // `cut` goes last, as in a stored row, because contents are compared as text.
  const { cut, ...rest } = data
  return Object.assign({}, rest, ours, { cut })
}

const toMark = (
  { data, before, stage }: SubscriptionChange,
  { id, source }: Origin,
  digest: string,
): Mark => {
  const follows = before === undefined ? null : digestOf(before)
  return {
    id: markId({ id, source }, follows),
    digest,
    follows,
    stage,
    rank: rankOf(data),
    source,
  }
}

const rankOf = (data: Pick<SubscriptionData, 'status' | 'cancel_at' | 'cancel_at_period_end'>): number =>
  subscriptionStatuses.indexOf(data.status) * 2 + (isEnding(data) ? 1 : 0)

const isEnding = (data: Pick<SubscriptionData, 'cancel_at' | 'cancel_at_period_end'>): boolean =>
  data.cancel_at_period_end || data.cancel_at !== null

const toRow = (
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
  }: {
    columns: FactRow
    paused: Pick<SubscriptionRow, 'pauses' | 'pause_moments'>
    arrears: string | null
  },
): SubscriptionRow => {
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
    revision: columns.revision,
  }
}
