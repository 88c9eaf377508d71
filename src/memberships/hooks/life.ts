import { createLanes } from '../../core/jobs/lane-statements.ts'
import { createDocuments, type Step, type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import { type User, unchecked } from '../members/index.ts'
import { joinNotified, lastGates, type NotifiedState } from './difference.ts'
import { goneLane, type HookMessage } from './hooks.ts'
import { hookLifeStatements } from './life-statements.ts'
import { createNotices } from './notice-statements.ts'
import type { MemberChanges } from './notifier.ts'
import { eventLane, waitingMove } from './receivers.ts'
import { notifierStatements } from './statements.ts'

/** Reads and writes the last messages about an account. */
export interface Departures {
  /** The account itself, also after it was merged into another. */
  readonly findMember: (id: string) => Promise<User | null>
  /** An account that holds nothing any more. */
  readonly departed: (user: User) => User
  /** When notifications began on this database, ISO 8601 UTC. */
  readonly since: string
  /** Queues what hooks and receivers hear of these changes. */
  readonly announce: (changes: MemberChanges) => readonly Step[]
}

/** What hooks, receivers and the host's users were notified of, in the life of a member. */
export function hookLife(storage: Storage, departures?: Departures) {
  const statements = hookLifeStatements(storage)
  const notifier = notifierStatements(storage)
  const lanes = createLanes(storage)
  const notices = createNotices(storage)
  const moveWaiting = waitingMove(storage)

  /**
   * Gives one account's notified state to the other, too, because a merge is no change of a purchase. A gate that it
   * opens or closes is a change, and the next comparison finds it.
   */
  const carry = async ({ from, to }: { from: string; to: string }): Promise<Step[]> => {
    const [given] = await storage.all(notifier.notified, { member_id: from })
    if (given === undefined) return []
    const [own] = await storage.all(notifier.notified, { member_id: to })
    const state = joinNotified(
      JSON.parse(given.data) as NotifiedState,
      own === undefined ? null : (JSON.parse(own.data) as NotifiedState),
    )
    const data = JSON.stringify(state)
    return own === undefined
      ? [unchecked(notifier.insertNotified, { member_id: to, data, revision: 1 }, 'the unit of the merge', 1)]
      : [step(notifier.updateNotified, { member_id: to, data, revision: own.revision }, 1)]
  }

  /** Gates whose closing was noticed, and not taken by everybody. The messages go with the account. */
  const unheard = async (id: string): Promise<string[]> => {
    const rows = await storage.all(statements.waiting, { hooks: `hook:${id}`, events: eventLane(id) })
    return rows.flatMap(({ payload }) => {
      const { name, data } = JSON.parse(payload) as HookMessage
      return name === 'access.changed' ? (data.closed as readonly string[]) : []
    })
  }

  /** Announces that nothing is open any more to an account that is deleted, or merged into another. */
  const announced = async (id: string, at: string, isDeleted: boolean): Promise<readonly Step[]> => {
    const user = await departures?.findMember(id)
    if (departures === undefined || !user) return []
    const [row] = await storage.all(notifier.notified, { member_id: id })
    const notified = row === undefined ? null : (JSON.parse(row.data) as NotifiedState)
    const open = lastGates(notified, user, departures.since)
    const closed = [...new Set([...open, ...(await unheard(id))])].sort()
    const { email, email_verified, created_at } = user
    const messages = departures.announce({
      member: departures.departed(user),
      domainEvents: closed.length === 0 ? [] : [{ name: 'access', opened: [], closed }],
      documents: [],
      isNew: false,
      signedUp: false,
      id: `${id}:gone:${Date.parse(at).toString(36)}`,
      gone: { email, email_verified, created_at, isDeleted },
    })
    if (isDeleted || row === undefined) return messages
    // After an undone merge, whatever opens again is a change.
    const data = JSON.stringify({ ...notified, gates: [] })
    return [...messages, step(notifier.updateNotified, { member_id: id, data, revision: row.revision }, 1)]
  }

  return {
    name: 'hooks',
    tables: ['member_snapshots', 'notify_queue', 'outbox'],
    eraseRecords: nothing,
    lock: nothing,
    erase: async ({ id, at, isFirst, isLast }) => [
      ...(isFirst ? await announced(id, at, true) : []),
      // A receiver that was away for a month is not asked again, because the message has the address.
      ...(isLast ? [lanes.dropBeginning(goneLane(id))] : []),
      step(statements.told, { member_id: id }),
      ...['hook', 'store', 'store:account-deleted'].map((kind) => lanes.drop(`${kind}:${id}`)),
      // For every receiver, also for those that are no longer configured.
      lanes.dropBeginning(eventLane(id)),
    ],
    // A digest of the purchases, which the copy has.
    export: nothing,
    merge: async ({ kept, merged, at }) => {
      const pair = { from: merged.id, to: kept.id }
      return [...(await carry(pair)), ...moveWaiting(pair), ...(await announced(merged.id, at, false))]
    },
    unmerge: async ({ kept, merged }) => {
      const pair = { from: kept.id, to: merged.id }
      return [
        ...(await carry(pair)),
        ...moveWaiting({ ...pair, about: merged.id }),
        lanes.dropBeginning(goneLane(merged.id)),
      ]
    },
    restore: async ({ at }) => {
      const silence = notices.giveUp('An older copy was restored: this was delivered since.')
      // The lost database already notified everything that happened before this moment.
      const hooks = createDocuments(storage, 'hooks')
      const isNotifying = (await hooks.get('since')) !== null
      if (isNotifying) await hooks.put('since', at)
      return {
        ended: { messages: await notices.waiting() },
        steps: [
          silence,
          ...(isNotifying ? [step(statements.toldEvery, {}), step(statements.look, { at })] : []),
        ],
        // A deleted member already got that mail.
        afterwards: [silence],
      }
    },
  } as const satisfies MemberLife
}
