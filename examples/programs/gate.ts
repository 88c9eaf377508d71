import Koa from 'koa'
import { createMembership, isMembershipError } from 'membership'

/** A gate on a route, and the same question on a host that answers by itself. */
export async function run(): Promise<string> {
  const m = await createMembership({
    install: false,
    root: false,
    'membership.database.url': 'sqlite::memory:',
  })
  try {
    const app = new Koa()
    app.use(m.koaView())
    app.use(m.gate('pro'))
    const guard = await m.guard('pro')(new Request('https://site.example/archive'))
    if (guard.allowed) return 'open'
    const narrowed: unknown = guard.error
    return isMembershipError(narrowed, 'ERR_GATED') ? narrowed.code : 'another error'
  } finally {
    await m.close()
  }
}
export const expected = 'ERR_GATED'
