// A process of a site that deletes a member, and that the system kills once so many units are written:
// node --import tsx deletion-host.ts OPTIONS MEMBER_ID COMMITS
import { createMembership, type MembershipOptions } from '../../src/index.ts'

const [, , options = '{}', memberId = '', commits = '1'] = process.argv
const { now, ...settings } = JSON.parse(options) as MembershipOptions & { now: string }
const m = await createMembership({
  ...settings,
  install: false,
  root: false,
  log: () => {},
  now: () => new Date(now),
  mails: { transport: () => Promise.resolve() },
})
const storage = m.storage as { commit: typeof m.storage.commit }
const { commit } = m.storage
let left = Number(commits)
storage.commit = async (unit, how) => {
  await commit(unit, how)
  if (unit.length > 0) left--
  if (left <= 0) process.kill(process.pid, 'SIGKILL')
}
await m.users.delete(memberId)
for (let round = 0; round < 3; round++) await m.runDueJobs()
await m.close()
