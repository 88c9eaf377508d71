import {
  cancellationAt,
  changeSubscription,
  noCancellation,
  type Portal,
  type Price,
  pauseSubscription,
  resumeSubscription,
  type Subscription,
  toCardNumber,
  useCard,
  type World,
} from '../engine/index.ts'
import { missing } from './errors.ts'
import { createReader, type Reader } from './params.ts'
import { configuration } from './shapes.ts'

/** https://docs.stripe.com/api/customer_portal/sessions/create */
export function createPortal(world: World, params: Reader): Portal {
  const customer = params.required('customer')
  const known = world.store.find('customer', customer)
  if (known === undefined || known.deleted) throw missing('customer', customer, 'customer')
  const wanted = params.text('configuration') ?? configuration.id
  if (wanted !== configuration.id) throw missing('configuration', wanted, 'configuration')
  return world.add<'portal'>({
    kind: 'portal',
    id: world.idFor('portal'),
    created: world.clock.seconds(),
    customer,
    return_url: params.text('return_url') ?? null,
    own: {
      configuration: configuration.id,
      flow: params.raw('flow_data') ?? null,
      locale: params.text('locale') ?? null,
    },
  })
}

/** Returns the subscriptions on the customer's page. */
export function portalSubscriptions(world: World, { customer }: Portal): Subscription[] {
  return world.store
    .list('subscription')
    .filter((subscription) => subscription.customer === customer && subscription.status !== 'canceled')
}

/** Returns the prices that can be switched to. */
export function portalPrices(world: World, { currency, items }: Subscription): Price[] {
  return world.store
    .list('price')
    .filter(
      (price) =>
        price.active &&
        price.rhythm !== null &&
        price.currency === currency &&
        price.id !== items[0]?.price.id,
    )
}

/** Executes one click of the customer; other people's subscriptions stay unchanged. */
export function actInPortal(world: World, portal: Portal, form: URLSearchParams): void {
  const does = form.get('do')
  if (does === 'card') {
    useCard(world, portal.customer, toCardNumber(form.get('card') ?? undefined))
    return
  }
  const portalSubscription = portalSubscriptions(world, portal).find(
    ({ id }) => id === form.get('subscription'),
  )
  if (portalSubscription === undefined) return
  if (does === 'cancel')
    changeSubscription(world, portalSubscription, { fields: cancellationAt(world, portalSubscription, null) })
  if (does === 'resume')
    changeSubscription(world, portalSubscription, { fields: noCancellation(portalSubscription) })
  if (does === 'pause') pauseSubscription(world, portalSubscription)
  if (does === 'go on') resumeSubscription(world, portalSubscription, 'now')
  if (does === 'switch') {
    const price = portalPrices(world, portalSubscription).find(({ id }) => id === form.get('price'))
    const id = portalSubscription.items[0]?.id
    if (price) changeSubscription(world, portalSubscription, { items: [{ id, price }] })
  }
}

/**
 * Returns the page after a finished flow, if the flow sets one.
 * https://docs.stripe.com/customer-management/portal-deep-links
 */
export function afterFlow({ own }: Portal): string | null {
  const completion = createReader(own?.flow).child('after_completion')
  return completion.raw('type') === 'redirect'
    ? (completion.child('redirect').text('return_url') ?? null)
    : null
}
