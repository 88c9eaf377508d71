import { createMembership, type IdentifyInput, type Identity } from 'membership'

/** Who is logged in is the host's to say; the headers are the web's own on every host. */
const identify = ({ headers }: IdentifyInput): Identity => {
  const email = headers.get('x-logged-in')
  return email === null ? null : { email, userId: `user of ${email}` }
}

export async function run(): Promise<string> {
  const m = await createMembership({
    install: false,
    root: false,
    'membership.database.url': 'sqlite::memory:',
    identify,
  })
  try {
    const request = new Request('https://site.example/', { headers: { 'x-logged-in': 'ann@example.com' } })
    const view = await m.viewOf(request)
    return m.runAs(view, () => m.user()?.email ?? 'nobody')
  } finally {
    await m.close()
  }
}
export const expected = 'ann@example.com'
