import type { CustomerUpdate, Fetched, PortalRequest } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import { changedFields } from '../subscriptions.ts'
import type { LemonSqueezyApi } from './api.ts'
import type { Customer, Resource, Subscription } from './payload.ts'

/** Page for buyers without a subscription: https://docs.lemonsqueezy.com/help/online-store/my-orders */
const myOrders = 'https://app.lemonsqueezy.com/my-orders'

/** Customers and their subscriptions. https://docs.lemonsqueezy.com/api/customers */
export const lemonSqueezyCustomers = (api: LemonSqueezyApi) => ({
  /** The signed address is valid for a day, so it is fetched each time. */
  portal: async ({ customerId }: PortalRequest): Promise<{ url: string }> => {
    const { raw } = await api.ask<Resource<Customer>>('the portal', {
      path: address`/v1/customers/${customerId}`,
    })
    return { url: str(obj(obj(raw.attributes).urls).customer_portal) ?? myOrders }
  },

  updateCustomer: async (update: CustomerUpdate): Promise<Fetched> => {
    const { customerId: id } = update
    const attributes = changedFields(update, '')
    const { raw, at } = await api.ask<Resource<Customer>>('a customer', {
      method: 'PATCH',
      path: address`/v1/customers/${id}`,
      body: { data: { type: 'customers', id, attributes } },
      // Repeating the request has no further effect.
      isRepeatable: true,
    })
    return api.toFetched([raw], at)
  },

  subscriptionsOf: async (customer: string): Promise<Fetched> => {
    const path = address`/v1/customers/${customer}/subscriptions`
    const { all, at } = await api.all<Resource<Subscription>>('subscriptions of a customer', path)
    return api.toFetched(all, at)
  },
})
