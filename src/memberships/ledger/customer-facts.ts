import { createRecent } from '../../core/recent.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { CustomerChange } from '../../providers/contract.ts'
import type { Copies } from './copies.ts'
import { digestOfText } from './digest.ts'
import { isUnchanged, type Origin, snapshotHistory, withSnapshot } from './history.ts'
import { type Mark, markId } from './message-order.ts'
import type { Owners } from './owners.ts'
import type { LedgerStatements } from './statements/index.ts'

/** The steps for a customer that was told of. */
export interface PlannedCustomer {
  readonly steps: readonly Step[]
  /** The snapshot that stands, where its owner's row is to follow; null where that row stays as it is. */
  readonly standing: CustomerChange['data'] | null
  /** The moment of a tie that evidence does not decide. */
  readonly contestedAt: string | null
}

/**
 * Plans what is said of customers. Every message about a purchase may carry a copy of who bought it, so what is said once
 * more only moves the moment as of which it counts: one statement where this process saw it last, without a look at
 * what is known. Whoever writes another content writes the owner's row with it.
 */
export const createCustomerFacts = (deps: {
  storage: Storage
  statements: LedgerStatements
  isOwned: Owners['isOwned']
  copies: Copies
}) => {
  const { storage, statements, isOwned, copies } = deps
  // The digest of what was last seen to stand of a customer, as of a moment before.
  const repeated = createRecent<string>(50_000)

  const plan = async (
    change: CustomerChange,
    origin: Origin,
    mode: 'blind' | 'read',
  ): Promise<PlannedCustomer> => {
    const { provider, account } = origin
    const key = { provider, account, kind: 'customer', id: change.id }
    const at = change.at ?? origin.at
    const said = JSON.stringify(change.data)
    const mark = toMark(change, origin, digestOfText(change.data, said))
    if (copies.holds(origin, key, at, mark)) return nothingMore
    const name = `${provider}\u0000${account}\u0000${change.id}`
    const isAgain = mode === 'blind' && origin.source === 'event' && repeated.get(name) === mark.digest
    if (isAgain && (await isOwned(origin, change.data)))
      return {
        ...nothingMore,
        steps: [step(statements.factAgain, { ...key, at, data: said, marks: JSON.stringify([mark]) }, 1)],
      }
    const [known] = await storage.all(statements.fact, key)
    const { content, columns } = withSnapshot(known, snapshotHistory(mark, at, change.data))
    const contestedAt = columns.contested === 1 ? columns.at : null
    const isSame = contestedAt === null && known?.data === columns.data
    const stays = isSame && (await isOwned(origin, content))
    if (stays && known.at < columns.at) repeated.set(name, mark.digest)
    // Whoever wrote the fact wrote the owner's row with it; without a write of ours both may have changed since.
    if (isUnchanged(known, columns)) {
      if (contestedAt === null) copies.note(origin, key, at, mark)
      return { ...nothingMore, contestedAt }
    }
    const write = known ? statements.factUpdate : statements.factInsert
    return {
      steps: [step(write, { ...key, ...columns }, 1)],
      standing: stays ? null : content,
      contestedAt,
    }
  }

  return { plan }
}

const nothingMore: PlannedCustomer = { steps: [], standing: null, contestedAt: null }

const toMark = ({ data, stage }: CustomerChange, { id, source }: Origin, digest: string): Mark => ({
  id: markId({ id, source }),
  digest,
  follows: null,
  stage,
  rank: data.deleted ? 1 : 0,
  source,
})
