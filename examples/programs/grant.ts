import { createMembership } from 'membership'

/** Access by hand, until a day that is written as text, and taken back. */
export async function run(): Promise<string> {
  const m = await createMembership({
    install: false,
    root: false,
    'membership.database.url': 'sqlite::memory:',
  })
  try {
    const { id } = await m.users.create({ email: 'ann@example.com' })
    const grant = await m.users.grant({ memberId: id, gate: 'pro', reason: 'prize', expiresAt: '2099-01-01' })
    const given = (await m.users.findById(id))?.explain('pro')
    await m.users.revoke(grant)
    return `${given?.reason} until ${given?.until} then ${(await m.users.findById(id))?.hasGate('pro')}`
  } finally {
    await m.close()
  }
}
export const expected = 'grant until 2099-01-01T00:00:00.000Z then false'
