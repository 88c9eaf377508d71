import { createRecent } from '../../core/recent.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { CustomerChange } from '../../providers/contract.ts'
import type { Copies } from './copies.ts'
import { digestOfText } from './digest.ts'
import { isUnchanged, type Origin, snapshotHistory, withSnapshot } from './history.ts'
import { type Mark, markId } from './message-order.ts'
import type { Owners } from './owners.ts'
import type { LedgerStatements } from './statements/index.ts'

/** The steps for a customer that an event describes. */
export interface PlannedCustomer {
  readonly steps: readonly Step[]
  /** The current snapshot, if the owner's row must follow it; null where that row stays unchanged. */
  readonly current: CustomerChange['data'] | null
  /** The moment of a tie that the evidence does not decide. */
  readonly contestedAt: string | null
}

/**
 * Plans customer snapshots. Every event of a purchase can carry a copy of the buyer, so a repeated snapshot only moves
 * the moment of the fact. If this process saw the snapshot last, that takes one statement and no read. A different
 * content also writes the owner's row.
 */
export function createCustomerFacts(deps: {
  storage: Storage
  statements: LedgerStatements
  isOwned: Owners['isOwned']
  copies: Copies
}) {
  const { storage, statements, isOwned, copies } = deps
  // Customer → digest of the snapshot that was last current, as of an earlier moment.
  const repeated = createRecent<string>(50_000)

  const plan = async (
    change: CustomerChange,
    origin: Origin,
    mode: 'blind' | 'read',
  ): Promise<PlannedCustomer> => {
    const { provider, account } = origin
    const key = { provider, account, kind: 'customer', id: change.id }
    const at = change.at ?? origin.at
    const json = JSON.stringify(change.data)
    const mark = toMark(change, origin, digestOfText(change.data, json))
    if (copies.holds(origin, key, at, mark)) return nothingMore
    const name = `${provider}\u0000${account}\u0000${change.id}`
    const isAgain = mode === 'blind' && origin.source === 'event' && repeated.get(name) === mark.digest
    if (isAgain && (await isOwned(origin, change.data)))
      return {
        ...nothingMore,
        steps: [step(statements.factAgain, { ...key, at, data: json, marks: JSON.stringify([mark]) }, 1)],
      }
    const [known] = await storage.all(statements.fact, key)
    const { content, columns } = withSnapshot(known, snapshotHistory(mark, at, change.data))
    const contestedAt = columns.contested === 1 ? columns.at : null
    const isSame = contestedAt === null && known?.data === columns.data
    const stays = isSame && (await isOwned(origin, content))
    if (stays && known.at < columns.at) repeated.set(name, mark.digest)
    // The fact and the owner's row are written together. Without a write here, both may have changed since.
    if (isUnchanged(known, columns)) {
      if (contestedAt === null) copies.note(origin, key, at, mark)
      return { ...nothingMore, contestedAt }
    }
    const write = known ? statements.factUpdate : statements.factInsert
    return {
      steps: [step(write, { ...key, state: null, ...columns }, 1)],
      current: stays ? null : content,
      contestedAt,
    }
  }

  return { plan }
}

const nothingMore: PlannedCustomer = { steps: [], current: null, contestedAt: null }

function toMark({ data, stage }: CustomerChange, { id, source }: Origin, digest: string): Mark {
  return {
    id: markId({ id, source }),
    digest,
    follows: null,
    stage,
    rank: data.deleted ? 1 : 0,
    source,
  }
}
