import type { Context } from 'koa'
import type { Addresses } from '../../core/http/addresses.ts'

/**
 * A browser's cookies: its session, a random browser id, the chosen language, the flash message, and the
 * signed id that counts free pages.
 */
export interface Cookies {
  session(ctx: Context): string | null
  setSession(ctx: Context, token: string | null, seconds: number): void
  /** Set on first use. */
  browser(ctx: Context): string
  forgetBrowser(ctx: Context): void
  language(ctx: Context): string | null
  setLanguage(ctx: Context, language: string): void
  /** The flash message of this browser, until a page shows it. */
  flash(ctx: Context): string | null
  setFlash(ctx: Context, token: string | null, seconds: number): void
  wall(ctx: Context): string | null
  setWall(ctx: Context, signed: string): void
  /** The pass that this browser shows to other runtimes. */
  pass(ctx: Context): string | null
  setPass(ctx: Context, token: string | null, seconds: number): void
}

type CookieName = 'session' | 'browser' | 'language' | 'flash' | 'wall' | 'pass'

/** Dependencies of a browser's cookies. */
export interface CookieDeps {
  /** True if the site is served over https. Cookies are then sent over https only. */
  readonly secure: (ctx: Context) => boolean
  readonly randomId: () => string
  /** Default: a site at the root of its host. */
  readonly addresses?: Pick<Addresses, 'cookiePath' | 'cookiePrefix'>
}

const browserSeconds = 365 * 86_400

/**
 * Over https the names begin with `__Host-`. Browsers accept such cookies from this host alone, so a sub-domain cannot
 * set one of its own. They cannot have a path, so those of a site below one begin with `__Secure-`. https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie#cookie_prefixes
 */
export function createCookies(deps: CookieDeps): Cookies {
  const { secure, randomId, addresses = atRoot } = deps
  const nameOf = (ctx: Context, name: CookieName) =>
    `${secure(ctx) ? addresses.cookiePrefix : ''}membership_${name}`

  const set = (ctx: Context, name: CookieName, value: string | null, seconds: number): void => {
    // The same request may read the cookie again, although the browser sent an older value.
    const fresh = freshOf(ctx)
    fresh.set(name, value)
    // Behind a proxy that ends TLS, this process sees a plain connection.
    if (secure(ctx)) ctx.cookies.secure = true
    ctx.cookies.set(nameOf(ctx, name), value, {
      httpOnly: true,
      sameSite: 'lax',
      secure: secure(ctx),
      path: addresses.cookiePath,
      overwrite: true,
      maxAge: value === null ? 0 : seconds * 1000,
    })
  }
  const get = (ctx: Context, name: CookieName): string | null => {
    const fresh = ctx.state.membershipCookies as Fresh | undefined
    if (fresh?.has(name)) return fresh.get(name)!
    // Most visitors have no cookie at all.
    return ctx.req.headers.cookie === undefined ? null : (ctx.cookies.get(nameOf(ctx, name)) ?? null)
  }

  return {
    session: (ctx) => get(ctx, 'session') || null,
    setSession: (ctx, token, seconds) => set(ctx, 'session', token, seconds),
    browser: (ctx) => {
      const known = get(ctx, 'browser')
      if (known !== null && /^[\w-]{16,64}$/.test(known)) return known
      const made = randomId()
      set(ctx, 'browser', made, browserSeconds)
      return made
    },
    forgetBrowser: (ctx) => set(ctx, 'browser', null, 0),
    language: (ctx) => get(ctx, 'language'),
    setLanguage: (ctx, language) => set(ctx, 'language', language, browserSeconds),
    flash: (ctx) => get(ctx, 'flash') || null,
    setFlash: (ctx, token, seconds) => set(ctx, 'flash', token, seconds),
    wall: (ctx) => get(ctx, 'wall') || null,
    setWall: (ctx, signed) => set(ctx, 'wall', signed, browserSeconds),
    pass: (ctx) => get(ctx, 'pass') || null,
    setPass: (ctx, token, seconds) => set(ctx, 'pass', token, seconds),
  }
}

const atRoot = { cookiePath: '/', cookiePrefix: '__Host-' }

/** The cookies that this request set; null for a deleted one. */
type Fresh = Map<string, string | null>
function freshOf(ctx: Context): Fresh {
  ctx.state.membershipCookies ??= new Map<string, string | null>()
  return ctx.state.membershipCookies as Fresh
}
