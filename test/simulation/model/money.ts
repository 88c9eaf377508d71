import type { Invoice } from '../../../src/fakes/engine/index.ts'
import { type Bought, isKept } from './laws.ts'
import { operatorEmail, type World } from './world.ts'

/**
 * Every euro that stayed with the site is behind an open gate, a used-up period, or a note to the operator: what came after
 * the end and opened nothing is noted. Nothing else is: a note names such a payment, and names it once.
 */
export async function checkMoney(world: World, all: readonly Bought[]): Promise<string[]> {
  const noted = world.mailbox
    .of(operatorEmail)
    .flatMap(({ subject }) => /a payment opened nothing \((.+)\)/.exec(subject)?.[1] ?? [])
  const late = all.flatMap((bought) => forNothing(world, bought).map((bill) => ({ bought, bill })))
  const missing = late
    .filter(({ bought: { shop }, bill: { payment } }) => isKept(shop, payment))
    .filter(
      ({ bought, bill }) => !world.journal.deleted.has(bought.page.who) && !noted.includes(nameOf(bill)),
    )
    .map(
      ({ bought: { s }, bill }) =>
        `${bill.total} of ${s.id} opened nothing (${nameOf(bill)}), and nobody is notified`,
    )
  const known = late.map(({ bill }) => nameOf(bill))
  const vain = noted.filter((id) => !known.includes(id)).map((id) => `the note about ${id} is one too many`)
  const again = noted.filter((id, n) => noted.indexOf(id) !== n).map((id) => `${id} is noted twice`)
  return [...missing, ...vain, ...again]
}

function nameOf({ payment, id }: Invoice): string {
  return payment ?? id
}

/** The bills that were paid after the end of a subscription and opened nothing. */
export function forNothing({ journal }: World, { s, shop }: Bought): Invoice[] {
  return (
    shop.fake.books
      .list('invoice')
      .filter(({ subscription, total, paid_at }) => subscription === s.id && total > 0 && paid_at !== null)
      // A book on an invoice opens whenever it is paid.
      .filter(({ lines }) => !lines.some(({ price }) => price.id === shop.seller.prices.book))
      .filter(({ paid_at, lines }) => {
        const isLate = s.ended_at !== null && paid_at! > s.ended_at + settlingSeconds
        const isRunning = lines.some(
          ({ amount, period }) => amount > 0 && period.start <= paid_at! && paid_at! < period.end,
        )
        return isLate && (journal.ended.has(s.id) || !isRunning)
      })
  )
}

// An end and the invoice that it settles are made together.
const settlingSeconds = 300
