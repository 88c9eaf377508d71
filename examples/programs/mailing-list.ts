import { createMembership, type Hooks } from 'membership'

/** A mailing list that follows the plan: who joins is added, who leaves is removed, and a deleted account is forgotten. */
export async function run(): Promise<string> {
  const readers = new Map<string, string>()
  const log: string[] = []
  const hooks: Hooks = {
    'access.changed': ({ member, opened, closed }) => {
      if (opened.includes('pro') && member.email !== null) readers.set(member.id, member.email)
      if (closed.includes('pro')) readers.delete(member.id)
      log.push(`${[...readers.values()]}` || 'nobody')
    },
    'member.deleted': ({ member }) => {
      readers.delete(member.id)
      log.push(`forgot ${member.email}`)
    },
  }
  const m = await createMembership({
    install: false,
    root: false,
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox': {},
    'membership.plans': { pro: { prices: [{ id: 'pro', amount: 900, currency: 'EUR', interval: 'month' }] } },
    hooks,
  })
  try {
    const [ann, ben] = await Promise.all([
      m.users.create({ email: 'ann@example.com', verified: true }),
      m.users.create({ email: 'ben@example.com', verified: true }),
    ])
    const grant = await m.users.grant({ memberId: ann.id, gate: 'pro' })
    await m.runDueJobs()
    await m.users.revoke(grant)
    await m.runDueJobs()
    await m.users.delete(ben)
    await m.runDueJobs()
    return log.join('; ')
  } finally {
    await m.close()
  }
}
export const expected = 'ann@example.com; nobody; forgot ben@example.com'
