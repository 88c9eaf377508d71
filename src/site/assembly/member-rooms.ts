import type { Outbox } from '../../core/jobs/outbox.ts'
import type { Ledger } from '../../memberships/ledger/index.ts'
import {
  createProving,
  createUsers,
  type NewMember,
  newRow,
  type User,
} from '../../memberships/members/index.ts'
import type { Changes } from '../../memberships/subscriptions/index.ts'
import { createLeavers } from '../../memberships/switching/leavers.ts'
import { createTrials } from '../../memberships/trials/index.ts'
import type { Foundation } from './foundation.ts'
import type { Ground } from './ground.ts'
import type { Mailing } from './mailing.ts'
import { rulesOf } from './member-rules.ts'

/** Who members are, what they proved, which trials they had, and who of them leaves a provider. */
export const createMemberRooms = (
  { config, storage, secrets, now, log, randomId }: Ground,
  given: Pick<Foundation, 'providers' | 'catalogue'> & {
    ledger: Ledger
    changes: Changes
    mailing: Pick<Mailing, 'ofTrial' | 'ofGrant'>
    findMember: (id: string) => Promise<User | null>
    outbox: () => Pick<Outbox, 'steps'>
  },
) => {
  const { ledger, changes, providers, catalogue, mailing, findMember, outbox } = given
  const defaultRole = config.members.roles[0] ?? 'member'
  const rules = rulesOf(config, catalogue, now)
  const noteChange = (memberId: string) => ledger.noteMember(memberId)
  const proving = createProving({
    storage,
    now,
    noteChange,
    proved: (memberId) => outbox().steps([trials.messageOfMember(memberId)]),
  })
  const leavers = createLeavers({ storage, providers, plans: (key) => catalogue.plans(key), now })
  const trials = createTrials({
    ...{ storage, ledger, changes, providers, plans: catalogue.all, findMember, secrets, now, log },
    continues: (subscription, member) => leavers.continues(subscription, member.subscriptions()),
    tell: (ended) => outbox().steps(mailing.ofTrial(ended)),
  })
  const users = createUsers({
    ...{ storage, randomId, defaultRole, proving, noteChange, rules },
    tellOfGrant: (memberId, id) => outbox().steps(mailing.ofGrant(memberId, id)),
  })
  const newMember = (member: NewMember) =>
    newRow(member, { id: randomId(), at: now().toISOString(), defaultRole })
  return { rules, proving, leavers, trials, users, newMember }
}
