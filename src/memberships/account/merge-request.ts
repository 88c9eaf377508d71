import { MembershipError } from '../../core/errors.ts'
import { loginRequired } from '../../core/http/route-access.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import type { Outbox } from '../../core/jobs/outbox.ts'
import { type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import { createCurrent, type Invalidation, type User, type Users } from '../members/index.ts'
import { type Merge, type MergingService, mergeDays } from '../merging/index.ts'
import type { Asks } from './email-change.ts'
import { emailOf } from './login-links.ts'
import {
  createMergeMails,
  type MergeRequestMail,
  messageOf,
  linkMinutes as minutes,
} from './merge-request-mails.ts'
import { type MergeRequestRow, mergeRequestStatements } from './merge-request-statements.ts'

export interface MergeRequestDeps {
  readonly storage: Storage
  readonly tokens: Tokens
  readonly outbox: Outbox
  readonly merging: MergingService
  readonly invalidation: Invalidation
  readonly users: Pick<Users, 'findById' | 'findByEmail'>
  /** @throws ERR_NO_MAIL where nothing sends mails */
  readonly requireMails: () => void
  readonly sendMail: (mail: MergeRequestMail) => Promise<void>
  readonly now: () => Date
  readonly randomId: () => string
}

/** The page behind a mail's link, before its button is pressed. */
export type MergeRequestPage =
  | { readonly step: 'own'; readonly email: string; readonly otherEmail: string }
  | {
      readonly step: 'other'
      readonly email: string
      readonly otherEmail: string
      /** The merge that the button would perform; null if it is done. */
      readonly merge: Merge | null
    }

/**
 * Lets a member merge two accounts of their own. Both addresses are proved again, one after the other, and both links
 * work only in the requesting member's session. A stranger who opens the mail to their own address therefore gives
 * nothing away. An intruder in the session cannot merge an account of their own into it. Requesting a merge reveals
 * nobody's membership. Afterwards both addresses are notified, and either can undo the merge for thirty days.
 */
export function createMergeRequests(deps: MergeRequestDeps) {
  const { storage, tokens, outbox, merging, users, now } = deps
  const statements = mergeRequestStatements(storage)
  const current = createCurrent(storage)
  const at = () => now().toISOString()

  /**
   * Queues the mail to the member's own address and voids the member's earlier requests.
   * @throws ERR_NO_MAIL, ERR_FORM
   */
  const ask = async (user: User, given: string): Promise<void> => {
    deps.requireMails()
    const other = emailOf(given)
    if (user.email === null || other === user.email)
      throw new MembershipError('ERR_FORM', 'This is the address of this account.', {
        action: 'Send the address of the other account in the field "email".',
      })
    const row: MergeRequestRow = {
      id: deps.randomId(),
      member_id: user.id,
      email: user.email,
      other_id: null,
      other_email: other,
      created_at: at(),
      expires_at: new Date(now().getTime() + minutes * 60_000).toISOString(),
      confirmed_at: null,
      done_at: null,
      void_at: null,
    }
    await current.commit(user.id, (write) => [
      ...deps.invalidation.changes(user.id, at()),
      write(statements.insert, row, 1),
      ...outbox.steps([messageOf(row, 'merge-own')]),
    ])
    outbox.nudge()
  }

  const find = async (id: unknown): Promise<MergeRequestRow | undefined> =>
    typeof id === 'string' ? (await storage.all(statements.find, { id }))[0] : undefined

  /**
   * Finds a link's request, and the side that the link was sent to.
   * @throws ERR_LINK, ERR_LOGIN_REQUIRED unless the requesting member's verified session asks
   */
  const open = async (
    token: string,
    asks: Asks,
  ): Promise<{ row: MergeRequestRow; side: 'own' | 'other' }> => {
    const own = await tokens.verify('merge-own', token)
    const claims = own ?? (await tokens.verify('merge-other', token))
    const row = await find(claims?.request)
    if (!row || row.void_at !== null || row.expires_at <= at()) throw spent()
    if (!asks.isVerified || asks.memberId !== row.member_id) throw loginRequired()
    return { row, side: own === null ? 'other' : 'own' }
  }

  /**
   * Reads a link's request without using it.
   * @throws ERR_LINK, ERR_LOGIN_REQUIRED, ERR_ACTION_REFUSED
   */
  const findOpen = async (token: string, asks: Asks): Promise<MergeRequestPage> => {
    const { row, side } = await open(token, asks)
    const { email, other_email: otherEmail } = row
    if (side === 'own') return { step: 'own', email, otherEmail }
    const merge = row.done_at === null ? await merging.merge(await inputOf(row)) : null
    return { step: 'other', email, otherEmail, merge }
  }

  /**
   * Records one confirmation per address. The second merges both accounts in one unit. A repeated click gets the same
   * answer.
   * @throws ERR_LINK, ERR_LOGIN_REQUIRED, ERR_ACTION_REFUSED
   */
  const confirm = async (
    token: string,
    asks: Asks,
    mayWrite: (email: string) => Promise<boolean>,
  ): Promise<Pick<MergeRequestPage, 'step' | 'otherEmail'>> => {
    const { row, side } = await open(token, asks)
    if (side === 'own') await confirmOwn(row, mayWrite)
    else if (row.done_at === null) await merge(row)
    return { step: side, otherEmail: row.other_email }
  }

  const confirmOwn = async (
    row: MergeRequestRow,
    mayWrite: (email: string) => Promise<boolean>,
  ): Promise<void> => {
    if (row.confirmed_at !== null || row.done_at !== null) return
    const other = await users.findByEmail(row.other_email)
    // Only an account with a proved address that is not merged into another.
    const isWhole = other?.email === row.other_email && other.email_verified && other.id !== row.member_id
    const other_id = isWhole && (await mayWrite(row.other_email)) ? other.id : null
    await once(async () => {
      await storage.commit([
        step(statements.confirm, { id: row.id, other_id, at: at() }, 1),
        ...outbox.steps([messageOf(row, 'merge-other')]),
      ])
    })
    outbox.nudge()
  }

  const merge = async (row: MergeRequestRow): Promise<void> => {
    const input = await inputOf(row)
    await once(() =>
      merging.merge({ ...input, write: true }, { id: row.id, first: doneSteps(row) }).then(() => undefined),
    )
    outbox.nudge()
  }

  const doneSteps = (row: MergeRequestRow) => () => [
    step(statements.done, { id: row.id, at: at() }, 1),
    ...outbox.steps([messageOf(row, 'merged', 'own'), messageOf(row, 'merged', 'other')]),
  ]

  /**
   * Checks that both accounts still have the confirmed addresses.
   * @throws ERR_LINK
   */
  const inputOf = async ({ member_id, email, other_id, other_email, confirmed_at }: MergeRequestRow) => {
    const [kept, merged] = [await users.findById(member_id), await users.findById(other_id ?? '')]
    if (confirmed_at === null || kept?.email !== email || merged?.email !== other_email) throw spent()
    if (!kept.email_verified || !merged.email_verified) throw spent()
    return { keep: kept.id, merge: merged.id, by: byMember }
  }

  /**
   * Writes once. Of two requests at once, the second finds the link used.
   * @throws ERR_LINK
   */
  const once = async (write: () => Promise<void>): Promise<void> => {
    try {
      await write()
    } catch (error) {
      throw error instanceof UnitConflict ? spent() : error
    }
  }

  /**
   * Finds the completed merge that a link in the mail to both addresses undoes.
   * @throws ERR_LINK
   */
  const undoView = async (token: string): Promise<MergeRequestRow & { other_id: string }> => {
    const row = await find((await tokens.verify('merged', token))?.request)
    const { other_id } = row ?? {}
    if (!row || !other_id || row.done_at === null || row.void_at !== null) throw spent()
    // The merge was already undone, and perhaps made again by an operator.
    if ((await merging.findOpen(other_id))?.id !== row.id) throw spent()
    return { ...row, other_id }
  }

  /**
   * Undoes the merge and ends every session of both accounts.
   * @throws ERR_LINK, ERR_ACTION_REFUSED
   */
  const takeBack = async (token: string): Promise<{ email: string; other_email: string }> => {
    const { id, email, other_id, other_email } = await undoView(token)
    await once(async () => {
      await merging.unmerge({ merged: other_id, by: byMember }, () => [
        step(statements.back, { id, at: at() }, 1),
      ])
    })
    return { email, other_email }
  }

  /** Deletes requests that can no longer be undone. */
  const forgetOld = (): Promise<void> => {
    const before = new Date(now().getTime() - (mergeDays + 1) * 86_400_000).toISOString()
    return storage.commit([step(statements.forget, { before })])
  }

  return {
    ask,
    look: findOpen,
    confirm,
    lookBack: undoView,
    takeBack,
    forgetOld,
    handlers: createMergeMails({ ...deps, find }),
  }
}
export type MergeRequests = ReturnType<typeof createMergeRequests>

/** The name recorded in the audit log. */
const byMember = 'the member'

function spent(): MembershipError {
  return new MembershipError(
    'ERR_LINK',
    'This link is no longer good: it was used, is too old, or incomplete.',
    {
      action: 'Ask for it again in your account.',
    },
  )
}
