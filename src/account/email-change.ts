import { MembershipError } from '../errors.ts'
import type { Handlers, Message, Outbox } from '../jobs/outbox.ts'
import type { User } from '../members/index.ts'
import { type Storage, step, UnitConflict } from '../storage/index.ts'
import type { Tokens } from '../tokens/index.ts'
import type { SelfService } from './self-service.ts'
import { profileStatements } from './statements.ts'

export interface EmailChangeDeps {
  readonly storage: Storage
  readonly tokens: Tokens
  readonly outbox: Outbox
  readonly selfService: SelfService
  readonly findMember: (id: string) => Promise<User | null>
  readonly randomId: () => string
  /** @throws ERR_NO_MAIL where nothing sends mails */
  readonly requireMails: () => void
  /** Sends the link to the new address. */
  readonly sendLink: (mail: {
    id: string
    to: string
    user: User
    token: string
    minutes: number
  }) => Promise<void>
  /** The message that tells the old address. */
  readonly tellOld: (user: User, from: string) => readonly Message[]
}

const minutes = 60

/**
 * Another address counts when its owner has opened the link that was sent to it. The same mail goes out whether somebody
 * has the address already or not, so nobody learns who is a member here. The link is signed when the mail is written.
 */
export const createEmailChanges = (deps: EmailChangeDeps) => {
  const { storage, tokens, outbox, selfService, findMember } = deps
  const statements = profileStatements(storage)

  /** Queues the mail to the new address. @throws ERR_NO_MAIL */
  const ask = async (user: User, { from, to }: { from: string | null; to: string }): Promise<void> => {
    deps.requireMails()
    const id = `email-change:${deps.randomId()}`
    const payload: AddressChange = { member: user.id, from, to }
    await storage.commit(outbox.steps([{ id, lane: id, kind: 'email-change', payload }]))
    outbox.nudge()
  }

  const handlers: Handlers = {
    'email-change': async ({ id, payload }) => {
      const { member, from, to } = payload as AddressChange
      const user = await findMember(member)
      if (user === null) return
      const claims = { id, member, to, ...(from === null ? {} : { from }) }
      const token = await tokens.sign('email-change', claims, minutes * 60)
      await deps.sendLink({ id, to, user, token, minutes })
    },
  }

  /** @throws ERR_LINK */
  const look = async (token: string): Promise<AddressChange & { id: string; until: string }> => {
    const { id, member, to, from, exp } = (await tokens.verify('email-change', token)) ?? {}
    if (typeof id !== 'string' || typeof member !== 'string' || typeof to !== 'string') throw spent()
    const until = new Date(Number(exp) * 1000).toISOString()
    return { id, member, to, from: typeof from === 'string' ? from : null, until }
  }

  /** Of one link the first use counts: it does not come true again when the address was changed back meanwhile. */
  const useUp = async ({ id, member, until }: Awaited<ReturnType<typeof look>>): Promise<boolean> => {
    // Without the address: nothing but the use is to be remembered.
    const row = {
      id,
      email: '',
      member_id: member,
      redirect: '/account',
      created_at: until,
      expires_at: until,
    }
    try {
      await storage.commit([step(statements.useLink, { ...row, used_at: until }, 1)])
      return true
    } catch (error) {
      if (error instanceof UnitConflict) return false
      throw error
    }
  }

  /** Works once, and says so as long as it is true: the account has another address then. @throws ERR_LINK, ERR_FORM */
  const confirm = async (token: string) => {
    const link = await look(token)
    const { member, from, to } = link
    if (!(await useUp(link))) {
      // Pressed twice.
      const known = await findMember(member)
      if (known?.email === to) return { user: known, customer: {} }
      throw spent()
    }
    const { customer } = await selfService.confirmEmail(member, to, from)
    const user = await findMember(member)
    if (user === null) throw new MembershipError('ERR_NOT_FOUND', 'There is no such account.')
    if (from !== null) {
      await storage.commit(outbox.steps(deps.tellOld(user, from)))
      outbox.nudge()
    }
    return { user, customer }
  }

  return { ask, look, confirm, handlers }
}
export type EmailChanges = ReturnType<typeof createEmailChanges>

const spent = (): MembershipError =>
  new MembershipError('ERR_LINK', 'This link is no longer good: it was used, is too old, or incomplete.', {
    action: 'Change your address again in your account.',
  })

/** Whose address becomes which. */
export interface AddressChange {
  readonly member: string
  readonly from: string | null
  readonly to: string
}
