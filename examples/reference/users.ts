import { codeOf, type Examples, equal } from './site.ts'

/** Examples of `m.users`. */
export const users: Examples = {
  async get({ m, ann }) {
    equal((await m.users.get(ann.id)).email, 'ann@example.com')
    equal(await codeOf(() => m.users.get('nobody')), 'ERR_NOT_FOUND')
  },

  async findById({ m, ann }) {
    const member = await m.users.findById(ann.id)
    equal(member?.email, 'ann@example.com')
    equal(member?.gates(), ['pro'])
    equal(await m.users.findById('nobody'), null)
  },

  async findByEmail({ m, ann }) {
    const member = await m.users.findByEmail('Ann@Example.com')
    equal(member?.id, ann.id)
  },

  async findExisting({ m, ann, bob }) {
    await m.users.merge({ keep: ann.id, merge: bob.id, by: 'eve', write: true })
    const member = await m.users.findExisting(bob.id)
    equal(member?.id, ann.id)
  },

  async findBySession({ m }) {
    equal(await m.users.findBySession('an unknown session'), null)
  },

  async findByLogin({ m }) {
    // `identify` returns { userId: 'user-7', … } for the user of your login.
    equal(await m.users.findByLogin('user-7'), null) // until the first visit
  },

  async list({ m }) {
    const { members } = await m.users.list({ q: 'ann' })
    equal(
      members.map(({ email }) => email),
      ['ann@example.com'],
    )
    // Pages are read as the loop gets to them.
    const paying: (string | null)[] = []
    for await (const member of m.users.list({ status: 'active', plan: 'pro' })) paying.push(member.email)
    equal(paying, ['ann@example.com'])
  },

  async create({ m }) {
    const member = await m.users.create({ email: 'cleo@example.com', name: 'Cleo', verified: true })
    equal(member.name, 'Cleo')
    const again = () => m.users.create({ email: 'CLEO@example.com' })
    equal(await codeOf(again), 'ERR_EMAIL_TAKEN')
  },

  async verify({ m }) {
    const { id } = await m.users.create({ email: 'cleo@example.com' })
    const member = await m.users.verify(id)
    equal(member.email_verified, true)
  },

  async setEmail({ m, ann }) {
    const change = await m.users.setEmail(ann.id, 'ann@example.org')
    equal(change, { from: 'ann@example.com', to: 'ann@example.org' })
  },

  async loginLink({ m, ann }) {
    const { url, expiresAt } = await m.users.loginLink(ann.id)
    equal(url.startsWith('https://example.com/membership/login/'), true)
    equal(expiresAt > new Date('2026-01-15').toISOString(), true)
  },

  async grant({ m, bob }) {
    await m.users.grant({ memberId: bob.id, gate: 'pro', reason: 'prize', expiresAt: '2027-03-01' })
    const decision = (await m.users.findById(bob.id))?.explain('pro')
    equal(decision?.reason, 'grant')
    equal(decision?.until, '2027-03-01T00:00:00.000Z')
  },

  async revoke({ m, bob }) {
    const grant = await m.users.grant({ memberId: bob.id, gate: 'pro' })
    await m.users.revoke(grant, 'eve') // recorded in the audit log
    equal((await m.users.findById(bob.id))?.hasGate('pro'), false)
  },

  async findGrant({ m, bob }) {
    const id = await m.users.grant({ memberId: bob.id, gate: 'pro', reason: 'prize' })
    const grant = await m.users.findGrant(id)
    equal([grant?.gate, grant?.reason, grant?.revoked_at], ['pro', 'prize', null])
  },

  async firstPrice({ m, ann }) {
    const priceOf = await m.users.firstPrice(ann.id)
    const [subscription] = ann.subscriptions()
    equal(subscription && priceOf(subscription), null) // it began with a payment, not as a trial
  },

  readable({ m, ann }) {
    equal(m.users.readable(ann).name, 'Ann')
  },

  fieldsOf({ m, ann }) {
    const fields = m.users.fieldsOf(ann)
    equal(fields.get('newsletter')?.update, true)
  },

  async export({ m, ann }) {
    const { profile, payments } = await m.users.export(ann)
    equal(profile.email, 'ann@example.com')
    equal(payments.length, 1)
  },

  async merge({ m, ann, bob }) {
    const input = { keep: bob.id, merge: ann.id, by: 'eve' }
    equal((await m.users.merge(input)).written, false)
    equal((await m.users.merge({ ...input, write: true })).written, true)
    equal((await m.users.findById(bob.id))?.gates(), ['pro'])
  },

  async unmerge({ m, ann, bob }) {
    await m.users.merge({ keep: bob.id, merge: ann.id, by: 'eve', write: true })
    const { email } = await m.users.unmerge({ merged: ann.id, by: 'eve' })
    equal(email, 'ann@example.com')
    equal((await m.users.findById(bob.id))?.gates(), [])
  },

  async delete({ m, ann, fake }) {
    const { error } = await m.users.delete(ann.id)
    equal(error, null)
    equal(await m.users.findByEmail('ann@example.com'), null)
    equal(fake.objects.list('subscription')[0]?.status, 'canceled')
  },

  async deleteByLogin({ m }) {
    // Call it where your login deletes its user.
    equal(await m.users.deleteByLogin('user-7'), null) // nobody by this id
  },
}
