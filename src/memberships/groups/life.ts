import { type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import { groupLifeStatements } from './life-statements.ts'
import { groupStatements } from './statements.ts'

/** Seats in the life of a member. */
export function groupLife(storage: Storage) {
  const groups = groupStatements(storage)
  const statements = groupLifeStatements(storage)
  return {
    name: 'groups',
    tables: ['groups', 'group_seats'],
    eraseRecords: nothing,
    lock: nothing,
    erase: ({ id, email, at }) => [
      step(groups.forgetMember, { member_id: id, at }),
      step(statements.forgetManager, { member_id: id }),
      ...(email === null ? [] : [step(statements.forgetAddress, { email, at })]),
    ],
    export: async ({ id: member_id }) => {
      const seats = await storage.all(groups.ofMember, { member_id })
      return {
        seats: seats.map(({ id, role, status, created_at, joined_at, ended_at }) => ({
          id,
          role,
          status,
          created_at,
          joined_at,
          ended_at,
        })),
      }
    },
    merge: ({ kept, merged }) => [step(statements.move, { kept: kept.id, merged: merged.id })],
    unmerge: ({ kept, merged }) => [step(statements.moveBack, { kept: kept.id, merged: merged.id })],
    restore: async ({ at }) => {
      const [lost] = await storage.all(statements.lostCount, {})
      return {
        ended: { groups: Number(lost?.n ?? 0) },
        steps: [step(statements.lost, { at })],
        afterwards: [],
      }
    },
  } as const satisfies MemberLife
}
