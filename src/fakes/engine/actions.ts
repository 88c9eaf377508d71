import { toCardNumber, useCard } from './cards.ts'
import { addCoupon, addPrice, addProduct } from './catalogue.ts'
import { payCheckout } from './checkout.ts'
import { failNext } from './customers.ts'
import type { Speech } from './fake-server.ts'
import type { Charge } from './objects.ts'
import type { MerchantActions, Views } from './options.ts'
import { Refusal } from './refusal.ts'
import { endDispute, findCharge, openDispute, refund } from './returning.ts'
import type { World } from './world.ts'

/**
 * Returns the id of a checkout, given the id or its page's address, where providers put it in the path or the
 * query.
 * @throws TypeError for an address without one
 */
function checkoutIn(world: World, given: string): string {
  if (!given.includes('/')) return given
  const { pathname, searchParams } = new URL(given, 'http://localhost')
  const parts = [...pathname.split('/'), ...searchParams.values()].filter((part) => part !== '')
  const found = world.store
    .list('checkout')
    .find(({ id }) => parts.some((part) => part === id || part.endsWith(`_${id}`) || part === `BA-${id}`))
  if (found) return found.id
  throw new TypeError(`This is the address of no checkout here: ${given}`)
}

/** Builds a test's actions besides API requests: sell, buy, fail, refund. */
export function actionsOf<V extends Views>(
  { secret, world, show, refusalText, errorOf, agree = payCheckout }: Speech<V>,
  act: <T>(run: () => T, at?: Date) => Promise<T>,
): MerchantActions<V> {
  const chargeOf = (id: string): Charge => {
    const charge = findCharge(world, id)
    if (charge === undefined) throw new TypeError(`No charge and no payment ${id}`)
    return charge
  }
  const inWords = <T>(run: () => T): T => {
    try {
      return run()
    } catch (error) {
      throw error instanceof Refusal ? errorOf(error) : error
    }
  }
  return {
    secret,
    addProduct: (product) => show<'product'>(addProduct(world, product)),
    addPrice: (price) => show<'price'>(addPrice(world, price)),
    addCoupon: (coupon) => show<'coupon'>(addCoupon(world, coupon)),
    pay: (id, { at, ...buyer } = {}) =>
      act(() => {
        const { checkout, refusal } = agree(world, checkoutIn(world, id), buyer)
        return { session: show<'checkout'>(checkout), refusal: refusal && refusalText(refusal) }
      }, at),
    useCard: (customer, card) => void useCard(world, customer, toCardNumber(card)),
    failNextPayment: (id) => failNext(world, id),
    refund: (id, amount) => inWords(() => show<'refund'>(refund(world, chargeOf(id), { amount }))),
    dispute: (id, reason = 'fraudulent') => show<'dispute'>(openDispute(world, chargeOf(id), reason)),
    closeDispute: (id, outcome) => show<'dispute'>(endDispute(world, id, outcome)),
  }
}
