import { createLanes, type LaneMessage } from '../../core/jobs/lane-statements.ts'
import { type Storage, step } from '../../core/storage/index.ts'
import { inUnits, type LeavingKey, type MemberLife, nothing } from '../life.ts'
import { mailLifeStatements } from './life-statements.ts'

/** Mails in the life of a member. `declarationsOf`: the numbers of a member's declarations, which are acknowledged by mail. */
export function mailLife(
  storage: Storage,
  given: { readonly declarationsOf: (member: LeavingKey) => Promise<readonly string[]> },
) {
  const statements = mailLifeStatements(storage)
  const lanes = createLanes(storage)
  return {
    name: 'mails',
    tables: ['sent_mails'],
    lock: nothing,
    // A mail that could not be delivered names its recipient until an operator handles it.
    eraseRecords: async function* (member) {
      const numbers = new Set(await given.declarationsOf(member))
      const rows = (await lanes.listDead('direct-mail')).filter(({ payload }) => {
        const { recipient } = JSON.parse(payload) as {
          recipient: { to: string; data: { number?: unknown } }
        }
        return (
          (member.email !== null && recipient.to.toLowerCase() === member.email) ||
          numbers.has(String(recipient.data.number ?? ''))
        )
      })
      yield* inUnits(rows.map(({ seq }) => lanes.dropDead(seq)))
    },
    erase: ({ id }) => [
      step(statements.mails, { member_id: id }),
      lanes.drop(`mail:${id}`),
      // The farewell mail is included: an undeliverable one would keep the address for ever.
      lanes.drop(`mail:account-deleted:${id}`),
    ],
    export: async ({ id, email }) => {
      const [mails, unsent] = await Promise.all([
        storage.all(statements.sent, { member_id: id }),
        lanes.list(`mail:${id}`, 'direct-mail'),
      ])
      return { mails, unsent_mails: unsentOf(unsent, email) }
    },
    // A mail that was sent stays with the account that got it.
    merge: nothing,
    unmerge: nothing,
    restore: nothing,
  } as const satisfies MemberLife
}

/** Keeps the queued mails to the member's own address. */
function unsentOf(rows: readonly LaneMessage[], email: string | null) {
  return rows.flatMap(({ kind: queue, payload, status, created_at }) => {
    const { kind, recipient } = JSON.parse(payload) as { kind?: string; recipient?: { to: string } }
    if (queue === 'direct-mail' && (email === null || recipient?.to.toLowerCase() !== email)) return []
    return [
      {
        kind: kind ?? queue,
        queued_at: created_at,
        status: status === 'dead' ? ('given_up' as const) : ('waiting' as const),
      },
    ]
  })
}
