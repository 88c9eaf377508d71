import { isEmail, normalEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import type { Message, Outbox } from '../../core/jobs/outbox.ts'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { NewAccount, NewMember, Opening, Proving, User, Users } from '../members/index.ts'
import { deletionStatements } from './deletion-statements.ts'
import { type LinkRow, linkStatements } from './login-statements.ts'

/** The data of a mail with a link; null when nobody should get one. */
export interface LinkMail {
  readonly email: string
  readonly user: User | null
  readonly url: string
  readonly minutes: number
}

export interface LinkDeps {
  readonly storage: Storage
  readonly users: Users
  readonly proving: Proving
  /** Builds the row of a new member, without storing it. */
  readonly newMember: (member: NewMember) => NewAccount
  readonly tokens: Tokens
  readonly outbox: Outbox
  /** True for the page of an open invitation, or of a gift that can be redeemed: its link lets anybody join. */
  readonly isInvited: (page: string) => Promise<boolean>
  /** The message that sends the mail of a link. */
  readonly toMessage: (linkId: string, language: string | null) => Message
  readonly minutes: number
  /** True if a link creates an account for an unknown address. */
  readonly signup: boolean
  readonly now: () => Date
  readonly randomId: () => string
}

export interface Links {
  /**
   * Queues the mail with a link, which is sent only if the address belongs to somebody. `language` is the visitor's,
   * for members without a stored one.
   * @throws ERR_FORM
   */
  ask(given: string, redirect: string, language: string | null): Promise<void>
  /**
   * Creates a link that an operator hands over instead of a mail. Opening it proves no address, so only members with a
   * proved address get one.
   * @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED
   */
  give(memberId: string, siteUrl: string): Promise<{ url: string; expiresAt: string }>
  /** Builds the data of a link's mail; null when nobody should get one, or the link has expired. */
  mailOf(id: string, siteUrl: string): Promise<LinkMail | null>
  readonly look: (token: string) => Promise<LinkRow>
  /**
   * Uses a link and opens a session of its member in one unit. It creates an account where a purchase waits for the
   * address, unless that purchase creates it at this moment.
   * @throws ERR_LINK
   */
  use(
    token: string,
    open: (memberId: string) => Promise<Opening>,
    language: string | null,
  ): Promise<{ memberId: string; redirect: string }>
}

/**
 * Links by mail that log a person in, once. The stored row opens nothing, because the mail's address is signed when the
 * mail is written. Requesting a link does the same work for every address, so neither text nor timing reveals who is a
 * member.
 */
export function createLinks(deps: LinkDeps): Links {
  const { storage, users, proving, tokens, outbox, minutes, signup, now, randomId } = deps
  const statements = linkStatements(storage)
  const { find: deletionOf } = deletionStatements(storage)

  const ask = async (given: string, redirect: string, language: string | null): Promise<void> => {
    const row = newLink(emailOf(given), redirect)
    const mail = outbox.steps([deps.toMessage(row.id, language)])
    await storage.commit([step(statements.insert, row, 1), ...mail])
    outbox.nudge()
  }

  const give = async (memberId: string, siteUrl: string): Promise<{ url: string; expiresAt: string }> => {
    const user = await users.findById(memberId)
    if (user === null) throw new MembershipError('ERR_NOT_FOUND', `No member ${memberId}.`)
    if (user.email === null || !user.email_verified || (await isLeaving(user)))
      throw new MembershipError(
        'ERR_ACTION_REFUSED',
        'This member has not proved an address, or is leaving.',
        {
          reason: 'address_unverified',
          action:
            'Let them ask for a link at /membership/login, or correct the address: membership members email.',
        },
      )
    const row = newLink(user.email, '/')
    await storage.commit([step(statements.insert, row, 1)])
    return { url: await urlOf(row.id, siteUrl), expiresAt: row.expires_at }
  }

  const newLink = (email: string, redirect: string): LinkRow => ({
    id: randomId(),
    email,
    member_id: null,
    redirect,
    created_at: now().toISOString(),
    expires_at: new Date(now().getTime() + minutes * 60_000).toISOString(),
    used_at: null,
  })

  const urlOf = async (link: string, siteUrl: string): Promise<string> =>
    `${siteUrl}/membership/login/${await tokens.sign('login', { link }, minutes * 60)}`

  const mailOf = async (id: string, siteUrl: string): Promise<LinkMail | null> => {
    const [link] = await storage.all(statements.find, { id })
    if (!link || link.used_at !== null || link.expires_at <= now().toISOString()) return null
    const user = await users.findByEmail(link.email)
    if (user === null ? !(await mayJoin(link)) : await isLeaving(user)) return null
    return { email: link.email, user, url: await urlOf(id, siteUrl), minutes }
  }

  /** Nobody can enter an account that is being deleted. */
  const isLeaving = async ({ id }: User): Promise<boolean> =>
    (await storage.all(deletionOf, { member_id: id })).length > 0

  const mayJoin = async ({ email, redirect }: LinkRow): Promise<boolean> =>
    signup ||
    (await storage.all(statements.waiting, { email })).length > 0 ||
    (await deps.isInvited(redirect))

  /**
   * Finds a link without using it.
   * @throws ERR_LINK
   */
  const findOpen = async (token: string): Promise<LinkRow> => {
    const claims = await tokens.verify('login', token)
    const id = typeof claims?.link === 'string' ? claims.link : null
    const [link] = id === null ? [] : await storage.all(statements.find, { id })
    if (link && link.used_at === null && link.expires_at > now().toISOString()) return link
    throw spent(link?.redirect)
  }

  const use = async (
    token: string,
    open: (memberId: string) => Promise<Opening>,
    language: string | null,
  ): Promise<{ memberId: string; redirect: string }> => {
    for (let tries = 1; ; tries++) {
      const link = await findOpen(token)
      const { memberId, steps } = await owner(link, language)
      const opening = await open(memberId)
      try {
        const used = step(statements.use, { id: link.id, now: now().toISOString() }, 1)
        // Purchases that wait for the address come along. `isAlone` includes those that arrive at this moment.
        await storage.commit([used, ...steps, ...opening.steps], { isAlone: steps.length > 0 })
        opening.show()
        return { memberId, redirect: link.redirect }
      } catch (error) {
        if (!(error instanceof UnitConflict) || tries >= maxTries) throw error
      }
    }
  }

  /**
   * Finds the member that a link logs in, and the steps that prove the address.
   * @throws ERR_LINK when nobody may enter by it any more
   */
  const owner = async (
    link: LinkRow,
    language: string | null,
  ): Promise<{ memberId: string; steps: readonly Step[] }> => {
    const known = await users.findByEmail(link.email)
    if (known === null ? !(await mayJoin(link)) : await isLeaving(known)) throw spent()
    if (known === null) {
      const row = deps.newMember({
        email: link.email,
        verified: true,
        language,
        createdBy: `link:${link.id}`,
      })
      return { memberId: row.id, steps: proving.creation(row) }
    }
    const { id, email, email_verified: isVerified } = known
    return { memberId: id, steps: isVerified ? [] : proving.verification({ id, email, isVerified }) }
  }

  return { ask, give, mailOf, look: findOpen, use }
}

// Each conflict means that another writer touched the same account or link.
const maxTries = 10

/**
 * Normalises an address for comparison.
 * @throws ERR_FORM
 */
export function emailOf(given: string): string {
  const email = normalEmail(given)
  if (isEmail(email)) return email
  throw new MembershipError('ERR_FORM', 'This is no e-mail address.', {
    action: 'Send it in the field "email".',
  })
}

/** `redirect`: the page that the old link led to, for the new one. */
function spent(redirect?: string): MembershipError {
  return new MembershipError(
    'ERR_LINK',
    'This link is no longer good: it was used, it is too old, or it is incomplete.',
    {
      action: 'Ask for a new one at /membership/login.',
      extensions: redirect === undefined ? {} : { redirect },
    },
  )
}
