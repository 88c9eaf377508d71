import { createMembership, definePlans, type SubscriptionAction } from 'membership'

/** The button of one price: its text follows from the action. */
function buttonOf(action: SubscriptionAction): string {
  switch (action.action) {
    case 'subscribe':
      return action.trial_days === null ? 'Subscribe' : `Try ${action.trial_days} days`
    case 'buy':
      return 'Buy'
    case 'change':
    case 'renew':
    case 'cancel':
      return `${action.action} ${action.subscription_id}`
    case 'none':
      return action.reason
    default:
      throw new TypeError(`unhandled ${action satisfies never}`)
  }
}

export async function run(): Promise<string> {
  const price = { id: 'price_1', amount: 900, currency: 'EUR', interval: 'month', trial_days: 14 } as const
  const m = await createMembership({
    install: false,
    root: false,
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox': {},
    'membership.plans': definePlans({ pro: { name: 'Pro', prices: [price] } }),
  })
  try {
    const view = await m.viewOf(null)
    return m
      .plans()
      .flatMap(({ prices }) =>
        prices.map(({ id }) => buttonOf(view.provider('sandbox').subscriptionAction(id))),
      )
      .join()
  } finally {
    await m.close()
  }
}
export const expected = 'Try 14 days'
