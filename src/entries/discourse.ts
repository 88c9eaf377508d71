import { createHmac, timingSafeEqual } from 'node:crypto'
import { MembershipError } from '../core/errors.ts'
import type { GateId } from '../core/register.ts'
import type { User } from '../memberships/members/index.ts'

/** The forum that members log in to. */
export interface DiscourseOptions {
  /** The forum's address. Members return there, whatever a request says. */
  readonly url: string
  /** The forum's `discourse connect secret`. */
  readonly secret: string
  /** Groups of the forum by gate: one name, or several. */
  readonly groups?: Readonly<Partial<Record<GateId, string | readonly string[]>>>
}

/** A signed message of DiscourseConnect. */
export interface SignedMessage {
  readonly sso: string
  readonly sig: string
}

/** Logs members in to a Discourse forum. */
export interface DiscourseConnect {
  /**
   * Checks the forum's request, and returns the address to which the member's browser goes back.
   * @throws ERR_REFUSED for a request that the forum did not sign, ERR_ACTION_REFUSED for a member without an
   *   address
   */
  answer(query: URLSearchParams | string, user: User): string
  /**
   * A message for `POST /admin/users/sync_sso`, which gives and takes groups at once.
   * @throws ERR_ACTION_REFUSED for a member without an address
   */
  sync(user: User): SignedMessage
}

/**
 * Creates the login of a forum by DiscourseConnect: https://meta.discourse.org/t/13045
 * @throws ERR_CONFIG without a secret or an address
 */
export function createDiscourseConnect({ url, secret, groups = {} }: DiscourseOptions): DiscourseConnect {
  if (!URL.canParse(url) || secret.length < 10)
    throw new MembershipError(
      'ERR_CONFIG',
      'A forum needs its address and a secret of at least ten characters.',
      {
        action: 'Give url and secret as the forum has them.',
      },
    )
  const back = `${url.replace(/\/+$/, '')}/session/sso_login`
  const sign = (sso: string): string => createHmac('sha256', secret).update(sso).digest('hex')
  const signed = (fields: Readonly<Record<string, string>>): SignedMessage => {
    const sso = Buffer.from(new URLSearchParams(fields).toString()).toString('base64')
    return { sso, sig: sign(sso) }
  }
  return {
    answer: (query, user) => {
      const asked = new URLSearchParams(query)
      const sso = asked.get('sso') ?? ''
      if (!isEqual(asked.get('sig') ?? '', sign(sso))) throw refused()
      const nonce = new URLSearchParams(Buffer.from(sso, 'base64').toString()).get('nonce')
      if (!nonce) throw refused()
      return `${back}?${new URLSearchParams({ ...signed({ nonce, ...fieldsOf(user, groups) }) })}`
    },
    sync: (user) => signed(fieldsOf(user, groups)),
  }
}

function fieldsOf(user: User, groups: DiscourseOptions['groups'] & object): Record<string, string> {
  if (user.email === null)
    throw new MembershipError(
      'ERR_ACTION_REFUSED',
      'This account has no e-mail address, and the forum needs one.',
      {
        reason: 'address_unverified',
      },
    )
  const named = Object.entries(groups) as [string, string | readonly string[]][]
  const open = new Set(named.filter(([gate]) => user.hasGate(gate as GateId)).flatMap(([, names]) => names))
  const closed = new Set(named.flatMap(([, names]) => names).filter((name) => !open.has(name)))
  return {
    external_id: user.id,
    email: user.email,
    ...(user.name === null ? {} : { name: user.name }),
    // Anybody can type an address, so the forum asks for a proof of one that nobody proved here.
    ...(user.email_verified ? {} : { require_activation: 'true' }),
    ...(open.size === 0 ? {} : { add_groups: [...open].join(',') }),
    ...(closed.size === 0 ? {} : { remove_groups: [...closed].join(',') }),
  }
}

function isEqual(given: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function refused(): MembershipError {
  return new MembershipError('ERR_REFUSED', 'The forum did not sign this request.', {
    action: 'Compare the secret of the site with the forum’s discourse_connect_secret.',
  })
}
