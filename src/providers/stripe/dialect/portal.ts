import { pauseSubscription, resumeSubscription } from './canceling.ts'
import { cancellationAt, noCancellation } from './cancellation.ts'
import { toCardNumber, useCard } from './cards.ts'
import { changeSubscription } from './changing.ts'
import { missing } from './errors.ts'
import { createReader, type Reader } from './params.ts'
import type { PortalConfiguration, PortalSession, Price, Subscription } from './types.ts'
import type { World } from './world.ts'

/** https://docs.stripe.com/api/customer_portal/sessions/create */
export const createPortal = (world: World, params: Reader): PortalSession => {
  const customer = params.required('customer')
  const known = world.store.find('customer', customer)
  if (known === undefined || known.deleted) throw missing('customer', customer, 'customer')
  const configuration = params.text('configuration') ?? defaultConfiguration(world).id
  if (!world.store.find('billing_portal.configuration', configuration))
    throw missing('configuration', configuration, 'configuration')
  const id = world.ids('bps')
  const returnUrl = params.text('return_url') ?? null
  const flow = params.raw('flow_data') ?? null
  return world.add<'billing_portal.session'>({
    id,
    object: 'billing_portal.session',
    configuration,
    created: world.clock.seconds(),
    customer,
    customer_account: null,
    flow: flow as Record<string, unknown> | null,
    livemode: false,
    locale: params.text('locale') ?? null,
    on_behalf_of: null,
    return_url: returnUrl,
    url: `${world.settings.url}/p/session/${id}`,
  })
}

/** The one configuration, in which everything is allowed. */
export const defaultConfiguration = (world: World): PortalConfiguration =>
  world.store.list('billing_portal.configuration')[0] ??
  world.add<'billing_portal.configuration'>({
    id: world.ids('bpc'),
    object: 'billing_portal.configuration',
    active: true,
    created: world.clock.seconds(),
    default_return_url: null,
    features: {
      customer_update: { allowed_updates: ['email', 'name'], enabled: true },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: 'at_period_end', proration_behavior: 'none' },
      subscription_update: {
        default_allowed_updates: ['price', 'quantity'],
        enabled: true,
        proration_behavior: 'create_prorations',
      },
    },
    is_default: true,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: {},
    name: null,
    updated: world.clock.seconds(),
  })

/** What the customer's page shows. */
export const portalSubscriptions = (world: World, { customer }: PortalSession): Subscription[] =>
  world.store.list('subscription').filter((one) => one.customer === customer && one.status !== 'canceled')

/** What can be switched to. */
export const portalPrices = (world: World, subscription: Subscription): Price[] =>
  world.store
    .list('price')
    .filter(
      (price) =>
        price.active &&
        price.type === 'recurring' &&
        price.currency === subscription.currency &&
        price.id !== subscription.items.data[0]?.price.id,
    )

/** One click of the customer; what is not theirs changes nothing. */
export const actInPortal = (world: World, session: PortalSession, form: URLSearchParams): void => {
  const does = form.get('do')
  if (does === 'card') {
    useCard(world, session.customer, toCardNumber(form.get('card') ?? undefined))
    return
  }
  const one = portalSubscriptions(world, session).find(({ id }) => id === form.get('subscription'))
  if (one === undefined) return
  if (does === 'cancel') changeSubscription(world, one, { fields: cancellationAt(world, one, null) })
  if (does === 'resume') changeSubscription(world, one, { fields: noCancellation(one) })
  if (does === 'pause') pauseSubscription(world, one)
  if (does === 'go on') resumeSubscription(world, one, 'now')
  if (does === 'switch') {
    const price = portalPrices(world, one).find(({ id }) => id === form.get('price'))
    const id = one.items.data[0]?.id
    if (price) changeSubscription(world, one, { items: [{ id, price, param: 'items[0][id]' }] })
  }
}

/** Where a flow leads when it is done: elsewhere only when it says so.
 *  https://docs.stripe.com/customer-management/portal-deep-links */
export const afterFlow = ({ flow }: PortalSession): string | null => {
  const completion = createReader(flow).child('after_completion')
  return completion.raw('type') === 'redirect'
    ? (completion.child('redirect').text('return_url') ?? null)
    : null
}
