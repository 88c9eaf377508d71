import { createMembership, isMembershipError, type Membership } from 'membership'

const open = (): Promise<Membership> =>
  createMembership({ install: false, root: false, 'membership.database.url': 'sqlite::memory:' })

/** Two instances in one process have members of their own, and an address that is taken is told apart from a wrong one. */
export async function run(): Promise<string> {
  const [a, b] = await Promise.all([open(), open()])
  try {
    await a.users.create({ email: 'ann@example.com' })
    await b.users.create({ email: 'ann@example.com' })
    const codes: string[] = []
    for (const email of ['ann@example.com', 'no address'])
      await a.users.create({ email }).catch((error: unknown) => {
        if (isMembershipError(error)) codes.push(error.code)
      })
    const view = await a.viewOf(null)
    await b
      .guard('pro')(view)
      .catch((error: unknown) => {
        if (isMembershipError(error, 'ERR_USAGE')) codes.push(error.code)
      })
    return codes.join()
  } finally {
    await a.close()
    await b.close()
  }
}
export const expected = 'ERR_EMAIL_TAKEN,ERR_FORM,ERR_USAGE'
