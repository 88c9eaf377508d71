import { randomBytes } from 'node:crypto'
import type { Context } from 'koa'
import { createSessions } from '../members/index.ts'
import type { Membership } from '../membership.ts'
import { secretFile } from '../options.ts'
import { createTokens } from '../tokens/index.ts'
import { installationSecret } from '../tokens/installation-secret.ts'

/**
 * Keeps a visitor logged in while the demo's clock is moved: a session lasts 30 days, months have up to 31. Before the
 * move it is remembered, after it a new one is opened. Other browsers' sessions grow old like everything else.
 */
export const sessionKeeper = (m: Membership, now: () => Date) => {
  const file = secretFile(m.config.database.url)
  const secret = m.config.secret ?? (file === null ? null : installationSecret(file))
  // Without a secret that lasts, nobody can sign for the instance: the visitor logs in again.
  if (secret === null) return async () => async () => {}
  const tokens = createTokens(typeof secret === 'string' ? [secret] : secret, now)
  const sessions = createSessions({
    storage: m.storage,
    tokens,
    now,
    randomId: () => randomBytes(18).toString('base64url'),
    secure: (ctx) => m.config.url?.startsWith('https:') ?? ctx.secure,
  })

  return async (ctx: Context): Promise<() => Promise<void>> => {
    const member = await sessions.memberId(ctx)
    const claims = await tokens.verify('session', ctx.cookies.get('membership_session') ?? '')
    if (member === null || typeof claims?.sid !== 'string') return async () => {}
    const [row] = await m.storage.read((db) =>
      db
        .selectFrom('sessions')
        .select('verified')
        .where('id', '=', claims.sid as string),
    )
    return () => sessions.open(ctx, member, row?.verified === 1)
  }
}
