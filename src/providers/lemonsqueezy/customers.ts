import type { CustomerUpdate, Fetched, PortalRequest } from '../contract.ts'
import { type Json, obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import type { LemonSqueezyApi } from './api.ts'

/** Page for buyers without a subscription: https://docs.lemonsqueezy.com/help/online-store/my-orders */
const myOrders = 'https://app.lemonsqueezy.com/my-orders'

/** Customers and their subscriptions. https://docs.lemonsqueezy.com/api/customers */
export const lemonSqueezyCustomers = (api: LemonSqueezyApi) => ({
  /** The signed address is valid for a day, so it is fetched each time. */
  portal: async ({ customerId }: PortalRequest): Promise<{ url: string }> => {
    const { data } = await api.ask('the portal', { path: address`/v1/customers/${customerId}` })
    return { url: str(obj(obj(data.attributes).urls).customer_portal) ?? myOrders }
  },

  updateCustomer: async ({ customerId: id, email, name }: CustomerUpdate): Promise<Fetched> => {
    const attributes: Json = {
      ...(email === undefined ? {} : { email }),
      ...(name === undefined ? {} : { name: name ?? '' }),
    }
    const { data, at } = await api.ask('a customer', {
      method: 'PATCH',
      path: address`/v1/customers/${id}`,
      body: { data: { type: 'customers', id, attributes } },
      // Repeating the request has no further effect.
      isRepeatable: true,
    })
    return api.told([data], at)
  },

  subscriptionsOf: async (customer: string): Promise<Fetched> => {
    const path = address`/v1/customers/${customer}/subscriptions`
    const { all, at } = await api.all('subscriptions of a customer', path)
    return api.told(all, at)
  },
})
