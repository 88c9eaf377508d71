import type { PaymentData, Price } from '../../core/dto/index.ts'
import { parseSold } from '../../core/dto/sold.ts'
import type { Handlers, Message } from '../../core/jobs/outbox.ts'
import { type Row, retryOnConflict, type Step, step } from '../../core/storage/index.ts'
import type { MoneyFact } from '../../providers/contract.ts'
import { createFreeDays, idIn, type PaidOnce, splitRef } from '../ledger/index.ts'
import { blank, type GiftsDeps, minuteMs, type Parts } from './parts.ts'
import type { PutOff, SettlingTime } from './settling.ts'
import type { GiftRow } from './statements.ts'

export interface GiftPaying {
  readonly handlers: Handlers
  /** Builds the message that checks a payment; none for a price that gave nothing when it was bought. */
  messagesOf(paid: PaidOnce): Message[]
  followPayment(paid: Pick<PaidOnce, 'provider' | 'account' | 'id'>): Promise<void>
  /** Closes the remaining time, and notifies both people. */
  close(gift: GiftRow, closed_for: 'refunded' | 'disputed' | 'revoked'): Promise<void>
  /** Opens a gift bought for oneself once its buyer is known. */
  openOwn(gift: GiftRow): Promise<void>
}

/** Follows the payments of gifts. A paid gift can be redeemed, and a refunded one is closed. */
export function createPaying(
  deps: GiftsDeps,
  { statements, grants, current, giveTo, insert, at, later, scheduleNext, mail, newId, open }: Parts,
  { settleSoon, sendDue }: Pick<SettlingTime, 'settleSoon'> & { sendDue: (gift: GiftRow) => Promise<void> },
): GiftPaying {
  const { storage, ledger, outbox, users, plans, noteChange, isLost, now, randomId } = deps
  const freeDays = createFreeDays(storage)

  const handlers: Handlers = {
    'gift-payment': async ({ payload }) => followPayment(payload as PaidOnce),
  }

  const messagesOf = ({ provider, account, id, price_id, sold }: PaidOnce): Message[] =>
    givesNothing(provider, { price_id, sold: sold ?? null })
      ? []
      : [
          {
            id: `gift-payment:${provider}:${account}:${id}:${randomId()}`,
            lane: `gift-payment:${provider}:${account}:${id}`,
            kind: 'gift-payment',
            payload: { provider, account, id, price_id },
          },
        ]

  const followPayment = (paid: Pick<PaidOnce, 'provider' | 'account' | 'id'>): Promise<void> =>
    retryOnConflict(async () => {
      const { provider, account, id } = paid
      const [row] = await storage.all(ledger.statements.payment, { provider, account, id })
      const data = row === undefined ? null : (JSON.parse(row.data) as PaymentData | null)
      if (row === undefined || data === null) return
      const { gift, intentIds } = await findGift(paid)
      const price = givingPrice(provider, row)
      const isPaid = data.status === 'paid' || data.status === 'partially_refunded'
      if (data.status === 'refunded' || data.status === 'disputed')
        return gift === null ? undefined : close(gift, data.status)
      if (!isPaid)
        return gift === null && price !== undefined && data.status === 'pending' && intentIds.length > 0
          ? orderForOneself({ provider, account, payment_id: id, price })
          : undefined
      const place = {
        provider,
        account,
        payment_id: id,
        buyer_id: await ownerOf({ ...paid, owner: row.owner_id }),
      }
      if (gift === null) {
        if (price === undefined) return
        if (intentIds.length > 0) return buyForOneself({ ...place, price, nextAt: at(), held_at: null })
        // The lost days may have known to whom it was given.
        const held_at = (await isLost(data.paid_at)) ? at() : null
        return buyForOneself({ ...place, price, nextAt: later(linkingMs), held_at })
      }
      if (isForOneself(gift) && gift.status === 'ready')
        return openPaid({ ...gift, ...place }, intentIds.length === 0)
      if (isForOneself(gift) && gift.status === 'ordered') {
        const isUnknown = intentIds.length === 0
        const held_at = isUnknown && (await isLost(data.paid_at)) ? at() : null
        return openPaid({ ...gift, ...place, held_at }, isUnknown)
      }
      if (gift.status === 'ordered')
        return gift.price_id === row.price_id
          ? // The lost days may have mailed its code, and somebody may have redeemed it.
            makeReady({ ...gift, held_at: (await isLost(data.paid_at)) ? at() : null }, place)
          : undefined
      if (gift.status === 'closed' && gift.closed_for !== 'revoked')
        return gift.payment_id === null ? makeReady({ ...gift, ...unclosed }, place) : reopen(gift)
      if (gift.payment_id !== id || gift.buyer_id !== place.buyer_id)
        await storage.commit(giveTo(place.buyer_id, { ...gift, ...place }))
    })

  /** Finds a payment's gift by the payment's id, by its checkout, or by the payment's earlier ids. */
  const findGift = async ({ provider, account, id }: Pick<PaidOnce, 'provider' | 'account' | 'id'>) => {
    const key = { provider, account }
    const refs = await storage.all(ledger.statements.refsOfPayment, { ...key, payment_id: id })
    const named = refs.map(({ ref }) => splitRef(ref))
    const intentIds: string[] = []
    for (const ref of named.filter(({ kind }) => kind === 'checkout')) {
      const [fact] = await storage.all(ledger.statements.fact, { ...key, kind: ref.kind, id: ref.id })
      const text = fact === undefined ? null : (JSON.parse(fact.data) as MoneyFact).intent_id
      // A buyer can write what a checkout carries, so only the checkout that completed the intent names it.
      const [intent] = text ? await storage.all(ledger.statements.intent, { id: idIn(text), provider }) : []
      if (intent?.checkout_id === ref.id) intentIds.push(intent.id)
    }
    for (const intent_id of new Set(intentIds)) {
      const [gift] = await storage.all(statements.byIntent, { intent_id })
      if (gift) return { gift, intentIds }
    }
    for (const payment_id of new Set([id, ...named.map((ref) => ref.id)])) {
      const [gift] = await storage.all(statements.byPayment, { ...key, payment_id })
      if (gift) return { gift, intentIds }
    }
    return { gift: null, intentIds }
  }

  /** The account of a payment's customer; null for one that is unknown or leaves. */
  const ownerOf = async (of: {
    provider: string
    account: string
    owner: string
  }): Promise<string | null> => {
    const key = { provider: of.provider, account: of.account, customer_id: of.owner }
    const [row] = await storage.all(ledger.statements.customer, key)
    return row?.member_id ? current.idOf(row.member_id) : null
  }

  /**
   * Stores what a debit in progress buys for oneself, so that it is given although its price leaves the configuration
   * meanwhile. A debit that fails gives nothing, and the row leaves with the unpaid orders.
   */
  const orderForOneself = ({
    price,
    ...place
  }: Pick<GiftRow, 'provider' | 'account' | 'payment_id'> & { price: GivingPrice }): Promise<void> =>
    storage.commit([
      insert({
        ...blank(newId(), price.gives, at()),
        ...place,
        status: 'ordered',
        price_id: price.id,
      }),
    ])

  /** Creates a gift bought for oneself. It opens automatically once its buyer is known. */
  const buyForOneself = async ({
    price,
    nextAt,
    ...place
  }: Pick<GiftRow, 'provider' | 'account' | 'payment_id' | 'buyer_id' | 'held_at'> & {
    price: GivingPrice
    nextAt: string
  }) => {
    const id = newId()
    const row: GiftRow = {
      ...blank(id, price.gives, at()),
      ...place,
      status: 'ready',
      price_id: price.id,
      look_at: nextAt,
    }
    await storage.commit(
      row.buyer_id === null
        ? [insert(row)]
        : current.steps(row.buyer_id, (write) => [write(statements.insert, row)]),
    )
    if (nextAt <= at()) await openOwn(row)
  }

  /** Opens what a payment bought for its buyer; a moment later while its checkout is not known. */
  const openPaid = async (gift: GiftRow, isUnknown: boolean): Promise<void> => {
    const look_at = isUnknown ? (gift.look_at ?? later(linkingMs)) : at()
    const row = { ...gift, status: 'ready', look_at }
    await storage.commit(giveTo(row.buyer_id, row))
    // An operator decides about what the lost days may have given to somebody.
    if (look_at <= at() && gift.held_at === null) await openOwn({ ...row, revision: row.revision + 1 })
  }

  const makeReady = async (
    gift: GiftRow,
    place: Pick<GiftRow, 'provider' | 'account' | 'payment_id' | 'buyer_id'>,
  ) => {
    const look_at = gift.held_at === null ? gift.send_at : null
    await storage.commit([
      ...giveTo(place.buyer_id, { ...gift, ...place, status: 'ready', look_at }),
      ...(gift.held_at === null ? mail(gift, 'gift-bought') : []),
      ...(place.buyer_id === null ? [] : noteChange(place.buyer_id)),
    ])
    if (gift.held_at === null && gift.send_at !== null && gift.send_at <= at())
      await sendDue({ ...gift, ...place, status: 'ready', revision: gift.revision + 1 })
  }

  const close = async (gift: GiftRow, closed_for: 'refunded' | 'disputed' | 'revoked'): Promise<void> => {
    if (gift.status === 'closed') {
      if (closed_for === 'revoked' && gift.closed_for !== closed_for)
        await storage.commit([step(statements.update, { ...gift, closed_for }, 1)])
      return
    }
    const closed = { ...gift, status: 'closed', closed_at: at(), closed_for, look_at: null }
    await storage.commit([
      step(statements.update, closed, 1),
      ...(gift.grant_id === null ? [] : [grants.setRevoked(gift.grant_id, at())]),
      ...closePause(gift),
      ...(gift.status === 'ordered' ? [] : mail(gift, 'gift-closed')),
      ...(await changesOf(gift)),
    ])
    outbox.nudge()
  }

  // The pause that it made opens nothing by itself, even where pauses stay open.
  const closePause = ({ put_off }: GiftRow): readonly Step[] => {
    const made = put_off === null ? null : (JSON.parse(put_off) as PutOff)
    if (made?.state !== 'done') return []
    const { provider, account, id, until: opens_at } = made
    return [freeDays.close({ provider, account, id, opens_at })]
  }

  /** Restores a gift after a won dispute, or a refund that its bank rejected. */
  const reopen = async (gift: GiftRow): Promise<void> => {
    const status = gift.redeemed_at === null ? 'ready' : 'redeemed'
    const row = { ...gift, ...unclosed, status, look_at: at() }
    await storage.commit([
      step(statements.update, row, 1),
      ...(gift.grant_id === null ? [] : [grants.setRevoked(gift.grant_id, null)]),
      ...(await changesOf(gift)),
    ])
  }

  const changesOf = async ({ member_id }: GiftRow): Promise<readonly Step[]> => {
    const member = member_id === null ? null : await users.findExisting(member_id)
    return member === null ? [] : noteChange(member.id)
  }

  const openOwn = async (gift: GiftRow): Promise<void> => {
    const { provider, account, payment_id } = gift
    if (provider === null || account === null || payment_id === null) return
    const key = { provider, account, id: payment_id }
    const { intentIds } = await findGift(key)
    for (const intent_id of new Set(intentIds)) {
      const [ordered] = await storage.all(statements.byIntent, { intent_id })
      // A late event shows that it was ordered for another person.
      if (ordered) {
        await storage.commit([step(statements.remove, gift, 1)])
        return followPayment(key)
      }
    }
    if (gift.held_at !== null && intentIds.length === 0) return scheduleNext(gift, null)
    const [payment] = await storage.all(ledger.statements.payment, key)
    const isOpened = await retryOnConflict(async () => {
      const owner = payment ? await ownerOf({ ...key, owner: payment.owner_id }) : null
      if (owner === null) return false
      const [row] = await storage.all(statements.find, { id: gift.id })
      if (row?.status === 'ready') await open({ ...row, buyer_id: owner }, owner)
      return true
    })
    if (!isOpened)
      return scheduleNext(
        gift,
        later(Math.max(minuteMs, (now().getTime() - Date.parse(gift.created_at)) / 10)),
      )
    await settleSoon(gift.id)
  }

  /**
   * True if the price certainly gave nothing. Terms that are assumed may be of a later day, and a price without any may
   * have left the configuration.
   */
  const givesNothing = (provider: string, bought: BoughtPrice): boolean => {
    const sold = soldPrice(bought)
    if (sold !== undefined && sold.assumed !== true) return sold.gives === undefined
    const known = pricesAt(provider)
    const isListed = known.some(({ id }) => id === bought.price_id)
    return (
      sold === undefined && (known.length === 0 || isListed) && givingPrice(provider, bought) === undefined
    )
  }

  /** Returns the gift of a price as it was bought; as it is today for a payment without terms. */
  const givingPrice = (provider: string, bought: BoughtPrice): GivingPrice | undefined => {
    const price = soldPrice(bought) ?? pricesAt(provider).find(({ id }) => id === bought.price_id)
    return price?.gives === undefined ? undefined : { id: price.id, gives: price.gives }
  }

  const pricesAt = (provider: string): readonly Price[] =>
    plans()
      .filter((plan) => plan.provider === provider)
      .flatMap(({ prices }) => prices)

  return { handlers, messagesOf, followPayment, close, openOwn }
}

/** The price of a payment, with the terms that are stored with it. */
type BoughtPrice = Row<'payments', 'price_id' | 'sold'>
type GivingPrice = Pick<Price, 'id'> & { readonly gives: NonNullable<Price['gives']> }

function soldPrice({ price_id, sold }: BoughtPrice) {
  return price_id === null || sold === null ? undefined : parseSold(sold).get(price_id)
}

// A gift for another person has a code.
function isForOneself({ code_hash, intent_id }: GiftRow): boolean {
  return code_hash === null && intent_id === null
}

const unclosed = { closed_at: null, closed_for: null }

// The event that names a payment's checkout may arrive after the payment.
const linkingMs = 10 * minuteMs
