import type { Context } from 'koa'
import { type Storage, step } from '../storage/index.ts'
import type { Tokens } from '../tokens/index.ts'
import { memberStatements } from './statements.ts'

/** Who this browser is, and for how long: the runtime's own login. A host's login takes its place by `identify`. */
export interface Sessions {
  /** The member of the request's session, or null. */
  memberId(ctx: Context): Promise<string | null>
  /** Opens a session on this browser. `verified`: the person proved to own the member's address. */
  open(ctx: Context, memberId: string, verified: boolean): Promise<void>
  end(ctx: Context): Promise<void>
  /** Ends every session of a member, on every device. */
  endAll(memberId: string): Promise<void>
  /** This browser's own random id, set on first use. */
  browserId(ctx: Context): string
}

export interface SessionDeps {
  readonly storage: Storage
  readonly tokens: Tokens
  readonly now: () => Date
  readonly randomId: () => string
  /** Whether the site is served over https: cookies are then sent over nothing else. */
  readonly secure: (ctx: Context) => boolean
}

const sessionCookie = 'membership_session'
const browserCookie = 'membership_browser'
const sessionSeconds = 30 * 86_400
const browserSeconds = 365 * 86_400

export const createSessions = ({ storage, tokens, now, randomId, secure }: SessionDeps): Sessions => {
  const statements = memberStatements(storage)

  const setCookie = (ctx: Context, name: string, value: string | null, seconds: number): void => {
    ctx.cookies.set(name, value, {
      httpOnly: true,
      sameSite: 'lax',
      secure: secure(ctx),
      path: '/',
      overwrite: true,
      maxAge: value === null ? 0 : seconds * 1000,
    })
  }

  const sessionId = async (ctx: Context): Promise<string | null> => {
    // Opened or ended by this very request: its cookie says something older.
    const fresh = ctx.state.membershipSession as string | null | undefined
    if (fresh !== undefined) return fresh
    const token = ctx.cookies.get(sessionCookie)
    const claims = token ? await tokens.verify('session', token) : null
    return typeof claims?.sid === 'string' ? claims.sid : null
  }

  return {
    memberId: async (ctx) => {
      const id = await sessionId(ctx)
      if (id === null) return null
      const [row] = await storage.all(statements.session, { id, now: now().toISOString() })
      return row?.member_id ?? null
    },
    open: async (ctx, memberId, verified) => {
      const id = randomId()
      const row = {
        id,
        member_id: memberId,
        verified: verified ? 1 : 0,
        created_at: now().toISOString(),
        expires_at: new Date(now().getTime() + sessionSeconds * 1000).toISOString(),
      }
      await storage.commit([step(statements.sessionInsert, row, 1)])
      ctx.state.membershipSession = id
      setCookie(ctx, sessionCookie, await tokens.sign('session', { sid: id }, sessionSeconds), sessionSeconds)
    },
    end: async (ctx) => {
      const id = await sessionId(ctx)
      if (id !== null)
        await storage.commit([step(statements.sessionRevoke, { id, revoked_at: now().toISOString() })])
      ctx.state.membershipSession = null
      setCookie(ctx, sessionCookie, null, 0)
    },
    endAll: (member_id) =>
      storage.commit([step(statements.sessionsRevoke, { member_id, revoked_at: now().toISOString() })]),
    browserId: (ctx) => {
      const known = ctx.cookies.get(browserCookie) ?? (ctx.state.membershipBrowser as string | undefined)
      if (known && /^[\w-]{16,64}$/.test(known)) return known
      const made = randomId()
      ctx.state.membershipBrowser = made
      setCookie(ctx, browserCookie, made, browserSeconds)
      return made
    },
  }
}
