import type { Price } from '../../core/dto/index.ts'
import { isEmail, normalEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import { clockSkewMs } from '../../core/jobs/clocks.ts'
import { type Moment, toEnd } from '../../core/moment.ts'
import { createClaim, retryOnConflict, type Step, step } from '../../core/storage/index.ts'
import type { User } from '../members/index.ts'
import { offers } from '../subscriptions/index.ts'
import { providerAt } from '../verification/index.ts'
import { hashOfCode } from './codes.ts'
import { endOf, openFor } from './gift-time.ts'
import { blank, createParts, type GiftsDeps, messageOf, minuteMs, type Parts } from './parts.ts'
import { createPaying, type GiftPaying } from './paying.ts'
import { canWait, createSettlingTime, type PutOff } from './settling.ts'
import { type GiftRow, type GrantRun, giftQueue } from './statements.ts'

/** A gift as its buyer requests it. */
export interface GiftOrder {
  /** The address of its mail; null if the buyer hands the code over. */
  readonly to: string | null
  /** The day of that mail, such as `2026-12-24`; null to send it once it is paid. */
  readonly on: string | null
  readonly message: string | null
  readonly language: string | null
}

/** The state of a gift: `ordered` until it is paid, `ready` while its code can be redeemed. */
export type GiftStatus = 'ordered' | 'ready' | 'redeemed' | 'closed'

/** A gift for its buyer, its owner and operators. Only its buyer sees the code. */
export interface Gift {
  readonly id: string
  readonly status: GiftStatus
  readonly plan: string
  readonly months: number
  readonly to: string | null
  readonly message: string | null
  readonly send_at: string | null
  readonly sent_at: string | null
  readonly batch: string | null
  readonly label: string | null
  readonly created_at: string
  readonly expires_at: string | null
  readonly redeemed_at: string | null
  readonly member_id: string | null
  /** The start of its run; null before it began. */
  readonly starts_at: string | null
  readonly ends_at: string | null
  /** The renewal that it postpones, or null. */
  readonly put_off: { readonly from: string; readonly until: string } | null
  /** Why it was closed: refunded, disputed, revoked. */
  readonly closed_for: string | null
  /** Since when it waits for an operator, because a restored copy of the database does not know what became of it. */
  readonly held_at: string | null
}

/** Codes to create by hand, such as for a fair or a sponsor. */
export interface NewCodes {
  readonly plan: string
  readonly months: number
  readonly count: number
  /** A label that is listed with them. */
  readonly label?: string | null
  /** When they expire. Default: never. */
  readonly expiresAt?: Moment | null
}

/** @throws ERR_ACTION_REFUSED for a gift that opens nothing any more */
function requireRedeemable({ status, closed_for, expires_at }: GiftRow, now: string): void {
  if (status === 'redeemed')
    throw refusal(
      'gift_redeemed',
      'This gift has been redeemed already.',
      'Log in with the account that has it.',
    )
  if (status === 'closed')
    throw refusal(
      'gift_closed',
      closed_for === 'revoked'
        ? 'The site has taken this code back.'
        : 'The payment for this gift was taken back.',
      'Ask the person who gave it to you.',
    )
  if (expires_at !== null && expires_at <= now)
    throw refusal('gift_expired', `This code could be redeemed until ${expires_at.slice(0, 10)}.`)
}

/**
 * Gifts: a plan's time, bought for oneself or another person, or given by the site. Each opens once. A repeated click,
 * event or interrupted run changes nothing the second time.
 */
export function createGifts(deps: GiftsDeps) {
  const { storage, outbox, users, rules, providers, codes, now, log } = deps
  const parts = createParts(deps)
  const { statements, current, at, scheduleNext, mail, newId, insert, open } = parts
  const claim = createClaim(storage, giftQueue(leaseMs))
  const { settle, settleSoon, resuming } = createSettlingTime(deps, parts)

  /** Prepares a gift that is written with its intent and waits for the payment. */
  const order = (price: Price, wish: GiftOrder) => {
    const { to, on, message, language } = checkOrder(wish, now())
    // Ids sort by time.
    const id = newId()
    const stepsOf = (intentId: string): readonly Step[] => [
      insert(
        {
          ...blank(id, price.gives!, at()),
          status: 'ordered',
          code_hash: codes.make(id).hash,
          intent_id: intentId,
          price_id: price.id,
          to_email: to,
          message,
          language,
          send_at: to === null ? null : on === null ? at() : `${on}T06:00:00.000Z`,
        },
        1,
      ),
    ]
    return { id, claim: JSON.stringify(['gift', price.id, to, on, message]), stepsOf }
  }

  const sendDue = async (gift: GiftRow): Promise<void> => {
    if (gift.sent_at !== null && gift.buyer_id === null && gift.to_email !== null)
      // The gift was sent and its buyer's account deleted, so the address is no longer needed.
      return storage.commit([
        step(statements.update, { ...gift, to_email: null, message: null, look_at: null }, 1),
      ])
    if (gift.send_at === null || gift.sent_at !== null) return scheduleNext(gift, null)
    if (gift.send_at > at()) return scheduleNext(gift, gift.send_at)
    // Its mail is queued; `sent_at` is written once the mail has left.
    if (gift.sendings > 0) return scheduleNext(gift, null)
    await storage.commit([
      step(statements.update, { ...gift, sendings: gift.sendings + 1, look_at: null }, 1),
      ...mail({ ...gift, sendings: gift.sendings + 1 }, 'gift'),
    ])
    outbox.nudge()
  }

  const paying = createPaying(deps, parts, { settleSoon, sendDue })
  const { handlers, messagesOf, close, openOwn } = paying

  // Redeeming.

  /**
   * Finds the gift of a typed code.
   * @throws ERR_NOT_FOUND
   */
  const findByCode = async (typed: string): Promise<GiftRow> => {
    const code_hash = hashOfCode(typed)
    const [gift] = code_hash === null ? [] : await storage.all(statements.byCode, { code_hash })
    if (gift && gift.status !== 'ordered') return gift
    throw new MembershipError('ERR_NOT_FOUND', 'There is no gift with this code.', {
      action: 'Compare it with the mail or the page that it came with.',
    })
  }

  /**
   * Gives a gift to a member. Redeeming it again for the same member changes nothing.
   * @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED
   */
  const redeem = async ({ code, user }: { readonly code: string; readonly user: User }): Promise<Gift> => {
    const id = await retryOnConflict(async () => {
      const gift = await findByCode(code)
      if (await isOf(gift, user)) return gift.id
      requireRedeemable(gift, at())
      if (isHeldFor(gift, user)) throw heldGift()
      const memberId = await current.idOf(user.id)
      if (memberId === null) throw new MembershipError('ERR_NOT_FOUND', 'There is no such account.')
      await open(gift, memberId)
      return gift.id
    })
    await settleSoon(id)
    outbox.nudge()
    return show(id)
  }

  /**
   * Previews when a gift's time would begin for a member: now, in place of the next renewal, or after the paid time
   * ends.
   */
  const preview = ({ plan, months }: Gift, user: User): GiftPreview => {
    const row = { plan, months, left_seconds: null }
    const beside = { subscriptions: user.subscriptions(), payments: user.payments() }
    const [subscription, ...more] = openFor(plan, beside, rules, now())
    if (subscription === undefined) return { kind: 'now', until: endOf(row, at()) }
    const from = subscription.current_period_end
    const provider = providerAt(providers, subscription.provider, subscription.account)
    if (more.length > 0 || from === null || !canWait(subscription, now()) || !offers(provider, 'pause'))
      return { kind: 'after' }
    return { kind: 'put_off', from, until: endOf(row, from) }
  }

  const isOf = async ({ status, member_id }: GiftRow, user: User): Promise<boolean> =>
    status === 'redeemed' && member_id !== null && (await users.findExisting(member_id))?.id === user.id

  // By the clock.

  /** Handles due gifts: mails to send, times that begin or end, and purchases whose buyer was unknown. */
  const runDue = async (): Promise<number> => {
    let looked = 0
    for (;;) {
      const due = await claim(now(), 20)
      for (const { id } of due) {
        try {
          await runGift(id)
        } catch (error) {
          log('a gift could not be looked at', { gift: id, reason: messageOf(error) })
        }
        looked++
      }
      if (due.length === 0) return looked
    }
  }

  const runGift = async (id: string): Promise<void> => {
    const [gift] = await storage.all(statements.find, { id })
    if (gift?.status === 'redeemed') return settle(id)
    if (gift?.status !== 'ready') return
    if (gift.code_hash === null) return openOwn(gift)
    return gift.held_at === null ? sendDue(gift) : scheduleNext(gift, null)
  }

  // Looking, sending again, taking back.

  const viewOf = async (gift: GiftRow): Promise<Gift> => {
    const [grant] = gift.grant_id === null ? [] : await storage.all(statements.grant, { id: gift.grant_id })
    return toGift(gift, grant)
  }

  const show = async (id: string): Promise<Gift> => {
    const [gift] = await storage.all(statements.find, { id })
    if (gift) return viewOf(gift)
    throw unknownGift(id)
  }

  /** The gift that a checkout ordered; null for a checkout of something else. */
  const ofIntent = async (intent_id: string) => {
    const [gift] = await storage.all(statements.byIntent, { intent_id })
    if (gift === undefined) return null
    const { plan, months, to_email, send_at } = gift
    return { plan, months, to: to_email, send_at }
  }

  /** Lists the gifts that a member bought for others, and those that they redeemed or bought for themselves. */
  const ofMember = async (
    user: User,
  ): Promise<{ readonly bought: readonly Gift[]; readonly own: readonly Gift[] }> => {
    const [bought, own] = await Promise.all([
      storage.all(statements.ofBuyer, { buyer_id: user.id }),
      storage.all(statements.ofMember, { member_id: user.id }),
    ])
    return {
      bought: await Promise.all(bought.filter((gift) => gift.code_hash !== null || isHeld(gift)).map(viewOf)),
      own: await Promise.all(own.map(viewOf)),
    }
  }

  /**
   * Returns a gift with its code to its buyer.
   * @throws ERR_NOT_FOUND, also for another member's gift
   */
  const ofBuyer = async (
    user: User,
    id: string,
  ): Promise<{ readonly gift: Gift; readonly code: string | null }> => {
    const row = await ownRow(user, id)
    const code =
      row.code_hash === null || row.status === 'ordered' ? null : codes.codeOf(row.id, row.code_hash)
    return { gift: await viewOf(row), code }
  }

  const ownRow = async (user: User, id: string): Promise<GiftRow> => {
    const [ordered] = await storage.all(statements.find, { id })
    // The buyer comes back from paying before the payment was looked at.
    if (ordered?.status === 'ordered')
      for (const { provider, account, id: payment, price_id } of user.payments())
        if (price_id === ordered.price_id) await paying.followPayment({ provider, account, id: payment })
    const [row] = ordered?.status === 'ordered' ? await storage.all(statements.find, { id }) : [ordered]
    const buyer = row?.buyer_id ? await users.findExisting(row.buyer_id) : null
    if (row && buyer?.id === user.id) return row
    throw unknownGift(id)
  }

  /** Gifts, the newest first; of one batch where it is named. `before` is the id after which a page ended. */
  const list = async ({ batch, before, limit = 100 }: GiftQuery = {}): Promise<readonly Gift[]> => {
    const rows =
      batch === undefined
        ? await storage.all(statements.newest, { before: before ?? '~', limit })
        : await storage.all(statements.ofBatch, { batch, after: before ?? '', limit })
    return Promise.all(rows.map(viewOf))
  }

  const byName = async (named: string): Promise<GiftRow> => {
    const [found] = await storage.all(statements.find, { id: named })
    return found ?? findByCode(named)
  }

  /**
   * Finds a gift by its id or code.
   * @throws ERR_NOT_FOUND
   */
  const find = async (named: string): Promise<Gift> => viewOf(await byName(named))

  return {
    order,
    messagesOf,
    handlers,
    findByCode,
    redeem,
    runDue,
    ofMember,
    ofIntent,
    ofBuyer,
    list,
    find,
    show,
    viewOf,
    preview,
    isHeldFor,
    resuming,
    create: createMaking(deps, parts),
    ...createSending(deps, parts, { ownRow, viewOf }),
    ...createRevoking(deps, { byName, close, show }),
    ...createReleasing(deps, parts, { runGift, show }),
  }
}
export type GiftsService = ReturnType<typeof createGifts>

/** Sends a gift's mail, for its buyer or for an operator. */
function createSending(
  { storage, outbox }: GiftsDeps,
  { statements, at, mail }: Parts,
  {
    ownRow,
    viewOf,
  }: { ownRow: (user: User, id: string) => Promise<GiftRow>; viewOf: (gift: GiftRow) => Promise<Gift> },
) {
  /**
   * Sends the mail now or again, to the same address or another.
   * @throws ERR_NOT_FOUND, ERR_FORM, ERR_ACTION_REFUSED
   */
  const send = (user: User, id: string, to: string | null): Promise<Gift> =>
    sending(() => ownRow(user, id), to)

  /** Sends the mail again for an operator. @throws ERR_NOT_FOUND, ERR_FORM, ERR_ACTION_REFUSED */
  const sendAgain = (id: string): Promise<Gift> =>
    sending(async () => {
      const [row] = await storage.all(statements.find, { id })
      if (row) return row
      throw unknownGift(id)
    }, null)

  const sending = (find: () => Promise<GiftRow>, to: string | null): Promise<Gift> =>
    retryOnConflict(async () => {
      const row = await find()
      const { id } = row
      requireRedeemable(row, at())
      if (row.status !== 'ready') throw unknownGift(id)
      if (row.held_at !== null) throw heldGift()
      if (row.sendings >= mostSendings)
        throw refusal(
          'not_allowed',
          `This gift has been sent ${mostSendings} times already.`,
          'Hand its code over.',
        )
      const to_email = to === null ? row.to_email : addressOf(to)
      if (to_email === null) throw new MembershipError('ERR_FORM', 'Say which address the gift goes to.')
      const next = { ...row, to_email, sendings: row.sendings + 1, look_at: null }
      await storage.commit([step(statements.update, next, 1), ...mail(next, 'gift')])
      outbox.nudge()
      return viewOf({ ...next, revision: row.revision + 1 })
    })

  return { send, sendAgain }
}

/** Ends gifts, by an operator or with what they came from. */
function createRevoking(
  { auditLog }: GiftsDeps,
  {
    byName,
    close,
    show,
  }: Pick<GiftPaying, 'close'> & {
    byName: (named: string) => Promise<GiftRow>
    show: (id: string) => Promise<Gift>
  },
) {
  /**
   * Revokes a gift by its id or code. Its code becomes worthless and its remaining time is closed. A second call
   * changes nothing.
   * @throws ERR_NOT_FOUND
   */
  const revoke = (named: string, by: string): Promise<Gift> =>
    ending(named, ({ id, member_id: memberId }, end) =>
      auditLog.during({ by, action: 'revoke', memberId, subject: `gift ${id}` }, end),
    )

  /** Ends a gift as part of something else, which has its own line in the audit log. @throws ERR_NOT_FOUND */
  const withdraw = (named: string): Promise<Gift> => ending(named, (_, end) => end())

  const ending = (
    named: string,
    run: (gift: GiftRow, end: () => Promise<void>) => Promise<void>,
  ): Promise<Gift> =>
    retryOnConflict(async () => {
      const gift = await byName(named)
      // A disputed gift comes back when the dispute is won, so revoking it counts too.
      if (gift.status !== 'closed' || gift.closed_for !== 'revoked')
        await run(gift, () => close(gift, 'revoked'))
      return show(gift.id)
    })

  return { revoke, withdraw }
}

/** Operators' actions on gifts that are held after a restored copy. */
function createReleasing(
  { storage, outbox, codes }: GiftsDeps,
  { statements, at, mail }: Parts,
  { runGift, show }: { runGift: (id: string) => Promise<void>; show: (id: string) => Promise<Gift> },
) {
  /**
   * Releases a gift that was held: its code counts again, and its mail leaves if none is known to have left. Months that
   * were bought for nobody else open for their buyer.
   * @throws ERR_NOT_FOUND
   */
  const release = async (id: string): Promise<Gift> => {
    await retryOnConflict(async () => {
      const row = await heldRow(id)
      if (row !== null)
        await storage.commit([step(statements.update, { ...row, held_at: null, look_at: at() }, 1)])
    })
    await runGift(id)
    return show(id)
  }

  /**
   * Gives a held gift again, whose order a restored copy lost: with a new code, by mail where an address is named. Its
   * buyer gets a mail, too.
   * @throws ERR_NOT_FOUND, ERR_FORM
   */
  const giveAgain = (id: string, to: string | null): Promise<Gift> =>
    retryOnConflict(async () => {
      const row = await heldRow(id)
      if (row === null || row.code_hash !== null) return show(id)
      const to_email = to === null ? null : addressOf(to)
      const { hash } = codes.make(row.id)
      const sent = to_email === null ? {} : { to_email, send_at: at(), sendings: 1 }
      const next: GiftRow = { ...row, ...sent, code_hash: hash, held_at: null, look_at: null }
      await storage.commit([
        step(statements.update, next, 1),
        ...(to_email === null ? [] : mail(next, 'gift')),
        ...(row.buyer_id === null ? [] : mail(next, 'gift-bought')),
      ])
      outbox.nudge()
      return show(id)
    })

  /** A gift that is held; null where it is not, or not any more. @throws ERR_NOT_FOUND */
  const heldRow = async (id: string): Promise<GiftRow | null> => {
    const [row] = await storage.all(statements.find, { id })
    if (!row) throw unknownGift(id)
    return isHeld(row) ? row : null
  }

  return { release, giveAgain }
}

/**
 * Creates codes by hand. Each is returned only this once.
 * @throws ERR_USAGE
 */
function createMaking({ storage, plans, codes }: GiftsDeps, { insert, at, newId }: Parts) {
  return async (wish: NewCodes): Promise<readonly (Gift & { readonly code: string })[]> => {
    const { plan, months, count, label = null } = wish
    if (!plans().some(({ id }) => id === plan))
      throw new MembershipError('ERR_USAGE', `No plan is called "${plan}".`, {
        action: `Name one of: ${[...new Set(plans().map(({ id }) => id))].join(', ') || '(no plans are configured)'}.`,
      })
    requireWhole('months', months, 120)
    requireWhole('count', count, mostCodes)
    const expires_at = wish.expiresAt == null ? null : toEnd(wish.expiresAt, 'expiresAt').toISOString()
    const batch = newId()
    const made = Array.from({ length: count }, () => {
      const id = newId()
      const { code, hash } = codes.make(id)
      const row: GiftRow = {
        ...blank(id, { plan, months }, at()),
        status: 'ready',
        code_hash: hash,
        batch,
        label,
        expires_at,
      }
      return { row, code }
    })
    for (let from = 0; from < made.length; from += unitSize)
      await storage.commit(made.slice(from, from + unitSize).map(({ row }) => insert(row, 1)))
    return made.map(({ row, code }) => ({ ...toGift(row, undefined), code }))
  }
}

/** When a gift's time would begin for a member. */
export type GiftPreview =
  | { readonly kind: 'now'; readonly until: string }
  | { readonly kind: 'put_off'; readonly from: string; readonly until: string }
  | { readonly kind: 'after' }

/** Filters the list of gifts. */
export interface GiftQuery {
  readonly batch?: string
  readonly before?: string
  readonly limit?: number
}

const leaseMs = 2 * minuteMs + clockSkewMs
const mostSendings = 10
const mostCodes = 10_000
const unitSize = 100

function toGift(row: GiftRow, grant: GrantRun | undefined): Gift {
  const putOff = row.put_off === null ? null : (JSON.parse(row.put_off) as PutOff)
  return {
    id: row.id,
    status: row.status as GiftStatus,
    plan: row.plan,
    months: row.months,
    to: row.to_email,
    message: row.message,
    send_at: row.send_at,
    sent_at: row.sent_at,
    batch: row.batch,
    label: row.label,
    created_at: row.created_at,
    expires_at: row.expires_at,
    redeemed_at: row.redeemed_at,
    member_id: row.member_id,
    starts_at: grant?.starts_at ?? null,
    ends_at: grant?.expires_at ?? null,
    put_off: putOff?.state === 'done' ? { from: putOff.from, until: putOff.until } : null,
    closed_for: row.closed_for,
    held_at: isHeld(row) ? row.held_at : null,
  }
}

/** @throws ERR_FORM */
function checkOrder({ to, on, message, language }: GiftOrder, now: Date): GiftOrder {
  if (message !== null && message.length > 1000)
    throw new MembershipError('ERR_FORM', 'A message has 1000 characters at most.')
  if (on !== null) {
    const day = new Date(`${on}T00:00:00.000Z`)
    if (!/^\d{4}-\d{2}-\d{2}$/.test(on) || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(on))
      throw new MembershipError('ERR_FORM', 'The day must be written like 2026-12-24.')
    if (day.getTime() > now.getTime() + 366 * 86_400_000)
      throw new MembershipError('ERR_FORM', 'A gift is sent within a year.')
    if (to === null)
      throw new MembershipError('ERR_FORM', 'A day needs the address that the gift is sent to.')
  }
  return { to: to === null ? null : addressOf(to), on, message, language }
}

/** @throws ERR_FORM */
function addressOf(typed: string): string {
  const email = normalEmail(typed)
  if (isEmail(email)) return email
  throw new MembershipError('ERR_FORM', `"${typed.slice(0, 100)}" is no e-mail address.`)
}

function requireWhole(name: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return
  throw new MembershipError('ERR_USAGE', `"${name}" must be a whole number from 1 to ${max}.`)
}

function refusal(
  reason: 'gift_redeemed' | 'gift_closed' | 'gift_expired' | 'gift_held' | 'not_allowed',
  message: string,
  action?: string,
): MembershipError {
  return new MembershipError('ERR_ACTION_REFUSED', message, { reason, ...(action && { action }) })
}

function isHeld({ status, held_at }: GiftRow): boolean {
  return status === 'ready' && held_at !== null
}

/** True where an operator has to release it first. The person it was sent to may redeem it, also once more. */
function isHeldFor(gift: GiftRow, user: User): boolean {
  return isHeld(gift) && !(user.email_verified && user.email === gift.to_email)
}

function heldGift(): MembershipError {
  return refusal(
    'gift_held',
    'The site went back to an older copy of its data, and checks this gift by hand.',
    'Ask the site to release it.',
  )
}

function unknownGift(id: string): MembershipError {
  return new MembershipError('ERR_NOT_FOUND', `There is no gift "${id}".`, { action: 'See your account.' })
}
