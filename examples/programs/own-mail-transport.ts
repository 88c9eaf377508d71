import { createMembership, type Mail, type Transport } from 'membership'

/** Mails leave by the site's own way, each with an id that stays the same when it is tried again. */
export async function run(): Promise<string> {
  const sent: Mail[] = []
  const transport: Transport = async (mail) => void sent.push(mail)
  const m = await createMembership({
    install: false,
    root: false,
    'membership.url': 'https://site.example',
    'membership.database.url': 'sqlite::memory:',
    mails: { transport, siteName: 'Example' },
  })
  try {
    const { id } = await m.users.create({ email: 'ann@example.com', verified: true })
    await m.users.grant({ memberId: id, gate: 'pro' })
    await m.runDueJobs()
    return sent
      .map(({ kind, to, id: mailId }) => `${kind} to ${to}, ${mailId === '' ? 'no id' : 'an id'}`)
      .join()
  } finally {
    await m.close()
  }
}
export const expected = 'granted to ann@example.com, an id'
