import type { Context } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import type { Addresses } from '../../core/http/addresses.ts'
import type { Callers } from '../../core/http/callers.ts'
import { isForeign } from '../../core/http/origin.ts'
import { fingerprint, type Tokens } from '../../core/http/tokens.ts'
import { type Storage, step } from '../../core/storage/index.ts'
import type { Caller, Keys } from '../keys/keys.ts'
import type { Statements } from '../statements/index.ts'

/** Dependencies of the partners' sessions. */
export interface PartnerSessionsDeps {
  readonly storage: Storage
  readonly statements: Statements
  readonly keys: Pick<Keys, 'authenticate' | 'admit'>
  readonly tokens: Pick<Tokens, 'formToken' | 'isFormToken'>
  /** Counts wrong keys by address. */
  readonly strangers: Callers
  readonly publicUrl: string | null
  readonly addresses: Pick<Addresses, 'cookiePath' | 'cookiePrefix'>
  /** Returns true if the site is served over https. */
  readonly secure: (ctx: Context) => boolean
  readonly now: () => Date
  readonly randomId: () => string
}

/** A working day; afterwards the partner enters the key again. */
export const partnerSessionSeconds = 12 * 3600

export interface PartnerSessions {
  /** Returns the session's partner; null without a session, or if the session or its key has expired. */
  find(ctx: Context): Promise<Caller | null>
  /** Opens a session with a key. @throws ERR_API_KEY, ERR_SCOPE, ERR_RATE_LIMIT after many wrong ones */
  open(ctx: Context, key: string | null): Promise<void>
  end(ctx: Context): Promise<void>
  /** Proves that a form belongs to this browser's session, or to its visit before login. */
  formToken(ctx: Context): string
  /** @throws ERR_CSRF for a request that another site's page sends */
  refuseForeign(ctx: Context): void
  /** @throws ERR_CSRF */
  checkForm(ctx: Context, token: unknown): void
}

/**
 * Sessions of the partners' pages. The API key is posted once and stored nowhere. The cookie holds a random
 * name, and the database holds its fingerprint and the id of the key. Every request checks the key, so
 * revoking it ends the session in every process. Members' sessions are separate.
 */
export function createPartnerSessions(deps: PartnerSessionsDeps): PartnerSessions {
  const { storage, statements, keys, tokens, strangers, secure, addresses, now, randomId } = deps

  const find = async (ctx: Context): Promise<Caller | null> => {
    const name = read(ctx)
    if (name === null) return null
    const [holder] = await storage.all(statements.sessionHolder, {
      id: fingerprint(name),
      now: now().toISOString(),
    })
    if (!holder) return null
    try {
      return keys.admit(holder)
    } catch {
      return null
    }
  }

  const open = async (ctx: Context, key: string | null): Promise<void> => {
    const caller = await keys.authenticate(key ?? undefined).catch(async (error: unknown) => {
      await strangers.count(strangers.callerOf(ctx.req))
      throw error
    })
    if (!caller.scopes.includes('read'))
      throw new MembershipError('ERR_SCOPE', 'This key may not read, and these pages show.', {
        action: 'Ask the operator for a key that may read.',
      })
    const before = read(ctx)
    // A new name is made at login, so that a name planted in this browser opens nothing for the attacker.
    const name = randomId()
    const expires_at = new Date(now().getTime() + partnerSessionSeconds * 1000).toISOString()
    await storage.commit([
      ...(before === null ? [] : [step(statements.sessionDelete, { id: fingerprint(before) })]),
      step(statements.sessionInsert, { id: fingerprint(name), key_id: caller.keyId, expires_at }),
    ])
    write(ctx, name)
  }

  const end = async (ctx: Context): Promise<void> => {
    const name = read(ctx)
    if (name !== null) await storage.commit([step(statements.sessionDelete, { id: fingerprint(name) })])
    write(ctx, null)
  }

  const formToken = (ctx: Context): string => tokens.formToken(ownerOf(read(ctx) ?? begin(ctx)))

  const begin = (ctx: Context): string => {
    const name = randomId()
    write(ctx, name)
    return name
  }

  const refuseForeign = (ctx: Context): void => {
    const own = deps.publicUrl === null ? ctx.host : new URL(deps.publicUrl).host
    if (isForeign(ctx, own)) throw notOurs()
  }
  const checkForm = (ctx: Context, token: unknown): void => {
    refuseForeign(ctx)
    const name = read(ctx)
    if (name === null || !tokens.isFormToken(ownerOf(name), token)) throw notOurs()
  }

  // Over https, browsers accept a cookie with this prefix only from this exact host.
  const cookie = (ctx: Context) => `${secure(ctx) ? addresses.cookiePrefix : ''}membership_partner`

  const read = (ctx: Context): string | null => {
    const given = written(ctx) ? ctx.state.membershipPartner : ctx.cookies.get(cookie(ctx))
    return typeof given === 'string' && /^[\w-]{16,64}$/.test(given) ? given : null
  }
  const write = (ctx: Context, name: string | null): void => {
    // Later steps of this request read it here.
    ctx.state.membershipPartner = name
    // Behind a proxy that ends TLS, the connection that we see is not encrypted.
    if (secure(ctx)) ctx.cookies.secure = true
    ctx.cookies.set(cookie(ctx), name, {
      httpOnly: true,
      sameSite: 'lax',
      secure: secure(ctx),
      path: addresses.cookiePath,
      overwrite: true,
      maxAge: name === null ? 0 : partnerSessionSeconds * 1000,
    })
  }

  return { find, open, end, formToken, refuseForeign, checkForm }
}

function written({ state }: Context): boolean {
  return state.membershipPartner !== undefined
}

// The prefix keeps it distinct from a member's form token, whatever the cookie contains.
function ownerOf(name: string): string {
  return `partner ${name}`
}

function notOurs(): MembershipError {
  return new MembershipError('ERR_CSRF', 'This form was not made for this browser, or is too old.', {
    action: 'Load the page again and send its form; cookies must be allowed.',
  })
}
