import type { Context } from 'koa'
import type { Awaitable } from '../../core/awaitable.ts'
import { fingerprint, type Tokens } from '../../core/http/tokens.ts'
import { createRecent } from '../../core/recent.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { type CookieDeps, type Cookies, createCookies } from './cookies.ts'
import { createCurrent } from './current-statements.ts'
import type { Invalidation } from './invalidation.ts'
import { memberStatements, type SessionRow } from './statements.ts'

/**
 * The member of this browser and the session's lifetime: the package's own login. `identify` replaces it with the
 * host's login.
 */
export interface Sessions {
  /** The session id that the request's cookie proves. Only the row shows whether the session is still valid. */
  idOf(ctx: Context): Awaitable<string | null>
  /** A valid session, or null if it expired, was revoked, or belongs to an account that is being deleted. */
  byId(id: string): Promise<Session | null>
  /** The request's valid session, or null. */
  find(ctx: Context): Promise<Session | null>
  /**
   * Opens a session in this browser. `verified`: the person proved that they own the member's address.
   * `since`: the beginning of an unverified session that this one continues.
   */
  open(ctx: Context, memberId: string, verified: boolean, since?: string): Promise<void>
  /** The same as steps for a larger unit. They also end the browser's previous session. */
  opening(ctx: Context, input: OpenSession): Promise<Opening>
  end(ctx: Context): Promise<void>
  /** Ends every session of a member on every device, and voids every open request. */
  endAll(ctx: Context, memberId: string): Promise<void>
  /** This browser's random id, set on first use. */
  browserId(ctx: Context): string
  /** The language chosen in this browser, or null. */
  language(ctx: Context): string | null
  setLanguage(ctx: Context, language: string): void
  /** The pass in this browser, unchecked. The end of the session removes it. */
  pass(ctx: Context): string | null
  setPass(ctx: Context, token: string, seconds: number): void
  /** The owner of a form: this browser together with its session. */
  formOwner(ctx: Context): string
}

/** A session of this package's cookie. */
export interface Session {
  readonly memberId: string
  readonly isVerified: boolean
  /** The start of an unverified session. It cannot touch earlier purchases. */
  readonly since: string
}

export interface OpenSession {
  readonly memberId: string
  readonly verified: boolean
  readonly since?: string
}

/** A session that is being opened. Its cookie is set once the steps are written. */
export interface Opening {
  readonly steps: readonly Step[]
  /** Sends the cookie to the browser. Call it after the commit. */
  readonly show: () => void
}

export interface SessionDeps extends CookieDeps {
  readonly storage: Storage
  readonly tokens: Tokens
  readonly invalidation: Invalidation
  readonly now: () => Date
  /** Further steps of logging out everywhere. */
  readonly endMore?: (memberId: string) => readonly Step[]
}

const sessionSeconds = 30 * 86_400
// The row alone ends a session. The signature outlives it, so that a session may be given more time: the demo does so
// when it moves the clock.
const signatureSeconds = 10 * 365 * 86_400

/**
 * A session lasts 30 days and needs its signed cookie and its row. Once the row is revoked, the cookie opens nothing.
 */
export function createSessions(deps: SessionDeps): Sessions {
  const { storage, tokens, invalidation, now, randomId, endMore = () => [] } = deps
  const statements = memberStatements(storage)
  const current = createCurrent(storage)
  const cookies: Cookies = createCookies(deps)
  const at = () => now().toISOString()

  // Cookies with a verified signature. A signature stays valid, and verifying it takes longer than loading the member.
  // The session's row is checked every time.
  const signed = createRecent<{ id: string; untilMs: number }>(10_000)

  const idOf: Sessions['idOf'] = (ctx) => {
    const token = cookies.session(ctx)
    if (token === null) return null
    const known = signed.get(token)
    return known && known.untilMs > now().getTime() ? known.id : verifiedId(token)
  }
  const verifiedId = async (token: string): Promise<string | null> => {
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
    const token = await tokens.sign('session', { sid: id }, signatureSeconds)
    return {
      steps: [
        ...(before === null ? [] : [step(statements.sessionRevoke, { id: before, revoked_at: at() })]),
        ...current.steps(memberId, (write) => [write(statements.sessionInsert, row, 1)]),
      ],
      show: () => cookies.setSession(ctx, token, sessionSeconds),
    }
  }

  const end: Sessions['end'] = async (ctx) => {
    const id = await idOf(ctx)
    const row = id === null ? null : await rowById(id)
    if (id !== null)
      await storage.commit([
        // A return page still shown in this browser must not open another session.
        ...(row === null ? [] : invalidation.returnPages(row.member_id, at())),
        step(statements.sessionRevoke, { id, revoked_at: at() }),
      ])
    cookies.setSession(ctx, null, 0)
    if (cookies.pass(ctx) !== null) cookies.setPass(ctx, null, 0)
    // The next person in this browser may be somebody else. Nothing bought here before belongs to them.
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
    open: async (ctx, memberId, verified, since) => {
      const { steps, show } = await opening(ctx, {
        memberId,
        verified,
        ...(since === undefined ? {} : { since }),
      })
      await storage.commit([...steps])
      show()
    },
    end,
    endAll: async (ctx, memberId) => {
      const [member] = await storage.all(statements.byId, { id: memberId })
      await storage.commit([
        ...invalidation.all({ id: memberId, email: member?.email ?? null }, at()),
        step(statements.sessionsRevoke, { member_id: memberId, revoked_at: at() }),
        ...endMore(memberId),
      ])
      cookies.setSession(ctx, null, 0)
      if (cookies.pass(ctx) !== null) cookies.setPass(ctx, null, 0)
      cookies.forgetBrowser(ctx)
    },
    browserId: cookies.browser,
    language: cookies.language,
    setLanguage: cookies.setLanguage,
    pass: cookies.pass,
    setPass: cookies.setPass,
    // The hash covers the cookie's bytes. An attacker who plants a browser id still does not know the session.
    formOwner: (ctx) => `${cookies.browser(ctx)}.${fingerprint(cookies.session(ctx) ?? '')}`,
  }
}
