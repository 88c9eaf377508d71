import type { SubscriptionData } from '../dto/index.ts'
import { subscriptionStatuses } from '../dto/index.ts'
import type { SubscriptionChange } from '../providers/contract.ts'
import { type Step, type Storage, step } from '../storage/index.ts'
import { digestOf } from './digest.ts'
import { firstColumns, isUnchanged, type Origin, snapshotHistory, withSnapshot } from './history.ts'
import type { Mark } from './marks.ts'
import type { Purchase } from './owners.ts'
import type { LedgerStatements, SubscriptionRow } from './statements/index.ts'

export interface PlannedFact {
  readonly steps: readonly Step[]
  readonly purchase: Purchase | null
  /** The moment of a tie that evidence does not decide. */
  readonly contestedAt: string | null
}

/**
 * Plans one subscription snapshot. `mode: 'blind'` supposes that it is the newest and reads nothing: its step fails
 * when that is wrong, and the caller plans again with `mode: 'read'`.
 */
export const planSubscription = async (input: {
  storage: Storage
  statements: LedgerStatements
  change: SubscriptionChange
  origin: Origin
  mode: 'blind' | 'read'
}): Promise<PlannedFact> => {
  const { storage, statements, change, origin, mode } = input
  const { provider, account } = origin
  const at = change.at ?? origin.at
  const mark = toMark(change, origin)
  const data = toData(change, origin, at)
  const purchase = toPurchase(change)

  if (mode === 'blind' && origin.source === 'event') {
    const row = toRow(data, firstColumns(mark, at, data))
    return { steps: [step(statements.subscriptionNewer, row, 1)], purchase, contestedAt: null }
  }
  const [known] = await storage.all(statements.subscription, { provider, account, id: change.id })
  const { content, columns } = withSnapshot(known, snapshotHistory(mark, at, data))
  const row = toRow(content, columns)
  const contestedAt = columns.contested === 1 ? columns.at : null
  if (isUnchanged(known, columns)) return { steps: [], purchase, contestedAt }
  const write = known ? statements.subscriptionUpdate : statements.subscriptionInsert
  return { steps: [step(write, row, 1)], purchase, contestedAt }
}

/** Who an owner is when a purchase names no customer: the purchase itself. */
const ownerOf = (data: { customer_id: string | null; id: string }): string => data.customer_id ?? data.id

const toPurchase = ({ data }: SubscriptionChange): Purchase | null =>
  // An unpaid first invoice is no purchase yet.
  data.status === 'incomplete' || data.status === 'expired'
    ? null
    : { ownerId: ownerOf(data), guest: data.customer_id === null }

// Spread, so many properties and three more take V8 five times as long.
const toData = (change: SubscriptionChange, { provider, account }: Origin, at: string): SubscriptionData =>
  Object.assign({}, change.data, { provider, account, updated_at: at })

const toMark = ({ data, before, stage }: SubscriptionChange, { id, source }: Origin): Mark => ({
  id,
  digest: digestOf(data),
  follows: before === undefined ? null : digestOf(before),
  stage,
  rank:
    subscriptionStatuses.indexOf(data.status) * 2 +
    (data.cancel_at_period_end || data.cancel_at !== null ? 1 : 0),
  source,
})

const toRow = (
  data: SubscriptionData,
  columns: Omit<SubscriptionRow, 'provider' | 'account' | 'id' | 'owner_id' | 'status' | 'price_id'>,
): SubscriptionRow => ({
  provider: data.provider,
  account: data.account,
  id: data.id,
  owner_id: ownerOf(data),
  status: data.status,
  price_id: data.price_id,
  ...columns,
})
