import { MembershipError } from '../errors.ts'

/**
 * What is known about a visitor: nothing (`none`), that this browser bought something (`unverified`), or that the
 * person proved their address (`verified`).
 */
export type Authentication = 'none' | 'unverified' | 'verified'

/** The rights of each kind of session on a route. `needs` is enforced before the route's handler runs. */
export interface Access {
  readonly needs: Authentication
  readonly none: string
  readonly unverified: string
  readonly verified: string
}

/** A route as listed in docs/members.md. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly access: Access
}

const login = 'asked to log in'
const link = 'asked to log in with a link'
function same(needs: Authentication, words: string): Access {
  return {
    needs,
    none: words,
    unverified: words,
    verified: words,
  }
}

/** Every kind of access that a route can require. */
export const access = {
  anybody: same('none', 'yes'),
  /** Anybody with the unguessable address. A session adds nothing. */
  holder: same('none', 'anybody with the link'),
  signed: same('none', 'the sender with a valid signature; sessions do not count'),
  partner: same('none', 'the holder of an API key; sessions do not count'),
  /** The partners' pages. Showing a key there opens a session of their own. */
  partnerPage: same('none', 'the holder of an API key, entered at /partner; members’ sessions do not count'),
  partnerAccess: same('none', 'yes; an API key opens it'),
  /**
   * A return page. It shows the checkout's result, and may open the session of an account that the checkout created.
   */
  returning: {
    needs: 'none',
    none: 'the result; once, within an hour, a session of the account that it created',
    unverified: 'the result',
    verified: 'the result',
  },
  /** The member's account page. A signed-out visitor sees the login. */
  account: { needs: 'none', none: login, unverified: 'what this session bought', verified: 'yes' },
  /** The prices, as this visitor may buy them. */
  prices: same('none', 'yes'),
  /** A pass says what is open, which the session's own pages show as well. */
  pass: { needs: 'unverified', none: login, unverified: 'yes', verified: 'yes' },
  bought: { needs: 'unverified', none: login, unverified: 'what this session bought', verified: 'yes' },
  /** The button that pays a failed payment is on every page, in every session. */
  renewing: {
    needs: 'unverified',
    none: login,
    unverified: 'a failed payment of what this session bought',
    verified: 'yes',
  },
  profile: {
    needs: 'unverified',
    none: login,
    unverified: 'the address, while the account holds only its purchase',
    verified: 'yes',
  },
  confirming: {
    needs: 'none',
    none: `${login}; the link alone confirms a corrected address`,
    unverified: `${link}; the link alone confirms a corrected address`,
    verified: 'the member whose change it is',
  },
  /** A mail's link that works only for the member who requested it. */
  joining: { needs: 'verified', none: login, unverified: link, verified: 'the member who asked for it' },
  /** A page that a mail links to. It asks for the login itself. */
  moving: { needs: 'none', none: login, unverified: link, verified: 'yes' },
  /** The office checks its own login. A member's session alone opens nothing there. */
  viewer: same('none', 'operators and viewers, with their second factor'),
  operator: same('none', 'operators, with their second factor'),
  owner: same('none', 'owners, with their second factor'),
  entering: same('none', 'operators and viewers, to show their second factor'),
  verified: { needs: 'verified', none: login, unverified: link, verified: 'yes' },
} as const satisfies Record<string, Access>

const rank = { none: 0, unverified: 1, verified: 2 } as const

/** True if a session of this kind is enough. */
export function mayDo(needs: Authentication, has: Authentication): boolean {
  return rank[has] >= rank[needs]
}

/** @throws ERR_LOGIN_REQUIRED without a session, ERR_UNVERIFIED for a session that proves no address */
export function requireAuthentication(needs: Authentication, has: Authentication): void {
  if (mayDo(needs, has)) return
  throw has === 'none' ? loginRequired() : unverified()
}

/** The error for an action that requires a login. */
export function loginRequired(): MembershipError {
  return new MembershipError('ERR_LOGIN_REQUIRED', 'Please log in first.', {
    action: 'POST /membership/login with your e-mail address.',
  })
}

/** The error for an unverified session that asks for more than its own purchase. */
export function unverified(): MembershipError {
  return new MembershipError('ERR_UNVERIFIED', 'Please log in with a link that is sent to your address.', {
    action:
      'POST /membership/login with your e-mail address, and open the link. Mistyped it at the purchase? Correct it in your account.',
  })
}
