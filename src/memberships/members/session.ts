import type { Context } from 'koa'
import { fingerprint, type Tokens } from '../../core/http/tokens.ts'
import { createRecent } from '../../core/recent.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { createInvalidation } from './invalidation.ts'
import { memberStatements, type SessionRow } from './statements.ts'

/**
 * The member of this browser, and for how long: the runtime's own login. A host's login takes its place by
 * `identify`.
 */
export interface Sessions {
  /** The id that the request's cookie proves; whether the session still counts, only its row says. */
  idOf(ctx: Context): Promise<string | null>
  /** A session that counts, or null: it may be over, revoked, or of an account that is being deleted. */
  byId(id: string): Promise<Session | null>
  /** The request's session, or null. */
  find(ctx: Context): Promise<Session | null>
  /** Opens a session on this browser. `verified`: the person proved to own the member's address. */
  open(ctx: Context, memberId: string, verified: boolean): Promise<void>
  /** The same as steps for a unit of more; the session that this browser had ends in it. */
  opening(ctx: Context, wish: OpenSession): Promise<Opening>
  end(ctx: Context): Promise<void>
  /** Ends every session of a member, on every device, with all that was asked for before. */
  endAll(ctx: Context, memberId: string): Promise<void>
  /** This browser's own random id, set on first use. */
  browserId(ctx: Context): string
  /** The language that was chosen in this browser, or null. */
  language(ctx: Context): string | null
  setLanguage(ctx: Context, language: string): void
  /** The owner of a form: this browser and its session. */
  formOwner(ctx: Context): string
}

/** A session by a cookie of ours. */
export interface Session {
  readonly memberId: string
  readonly isVerified: boolean
  /** The beginning of an unverified session: a purchase before this moment is not its own. */
  readonly since: string
}

/** A session to be opened. */
export interface OpenSession {
  readonly memberId: string
  readonly verified: boolean
  readonly since?: string
}

/** A session that is being opened: its cookie is set when the steps are written. */
export interface Opening {
  readonly steps: readonly Step[]
  /** Gives the browser its cookie, once the unit is committed. */
  readonly show: () => void
}

export interface SessionDeps {
  readonly storage: Storage
  readonly tokens: Tokens
  readonly now: () => Date
  readonly randomId: () => string
  /** True if the site is served over https: cookies are then sent over nothing else. */
  readonly secure: (ctx: Context) => boolean
}

const sessionSeconds = 30 * 86_400

/** A session lasts 30 days and needs both its signed cookie and its row: once the row is revoked, the
 *  cookie opens nothing. */
export const createSessions = ({ storage, tokens, now, randomId, secure }: SessionDeps): Sessions => {
  const statements = memberStatements(storage)
  const invalidation = createInvalidation(storage)
  const cookies: Cookies = createCookies({ secure, randomId })
  const at = () => now().toISOString()

  // Cookies whose signature was seen to be ours: it stays so, and verifying one takes longer than loading its member.
  // What they open is asked of their rows, every time.
  const signed = createRecent<{ id: string; untilMs: number }>(10_000)

  const idOf: Sessions['idOf'] = async (ctx) => {
    const token = cookies.session(ctx)
    if (token === null) return null
    const known = signed.get(token)
    if (known && known.untilMs > now().getTime()) return known.id
    const claims = await tokens.verify('session', token)
    if (typeof claims?.sid !== 'string') return null
    if (typeof claims.exp === 'number') signed.set(token, { id: claims.sid, untilMs: claims.exp * 1000 })
    return claims.sid
  }

  const rowById = async (id: string): Promise<SessionRow | null> => {
    const [row] = await storage.all(statements.session, { id, now: at() })
    return row ?? null
  }
  const byId: Sessions['byId'] = async (id) => {
    const row = await rowById(id)
    if (row === null) return null
    const { member_id: memberId, verified, since, created_at } = row
    return { memberId, isVerified: verified === 1, since: since ?? created_at }
  }

  const opening: Sessions['opening'] = async (ctx, { memberId, verified, since }) => {
    const id = randomId()
    const before = await idOf(ctx)
    const row = {
      id,
      member_id: memberId,
      verified: verified ? 1 : 0,
      created_at: at(),
      expires_at: new Date(now().getTime() + sessionSeconds * 1000).toISOString(),
      since: since ?? at(),
    }
    const token = await tokens.sign('session', { sid: id }, sessionSeconds)
    return {
      steps: [
        ...(before === null ? [] : [step(statements.sessionRevoke, { id: before, revoked_at: at() })]),
        step(statements.sessionInsert, row, 1),
      ],
      show: () => cookies.setSession(ctx, token, sessionSeconds),
    }
  }

  const end: Sessions['end'] = async (ctx) => {
    const id = await idOf(ctx)
    const row = id === null ? null : await rowById(id)
    if (id !== null)
      await storage.commit([
        // A return page that this member's browser still shows opens nothing again.
        ...(row === null ? [] : invalidation.returnPages(row.member_id, at())),
        step(statements.sessionRevoke, { id, revoked_at: at() }),
      ])
    cookies.setSession(ctx, null, 0)
    // Whoever comes next to this browser may be somebody else, whom nothing that was bought here belongs to.
    cookies.forgetBrowser(ctx)
  }

  return {
    idOf,
    byId,
    find: async (ctx) => {
      const id = await idOf(ctx)
      return id === null ? null : byId(id)
    },
    opening,
    open: async (ctx, memberId, verified) => {
      const { steps, show } = await opening(ctx, { memberId, verified })
      await storage.commit([...steps])
      show()
    },
    end,
    endAll: async (ctx, memberId) => {
      const [member] = await storage.all(statements.byId, { id: memberId })
      await storage.commit([
        ...invalidation.all({ id: memberId, email: member?.email ?? null }, at()),
        step(statements.sessionsRevoke, { member_id: memberId, revoked_at: at() }),
      ])
      cookies.setSession(ctx, null, 0)
      cookies.forgetBrowser(ctx)
    },
    browserId: cookies.browser,
    language: cookies.language,
    setLanguage: cookies.setLanguage,
    // The cookie's bytes: whoever can only plant a browser id in front of ours knows no session.
    formOwner: (ctx) => `${cookies.browser(ctx)}.${fingerprint(cookies.session(ctx) ?? '')}`,
  }
}
