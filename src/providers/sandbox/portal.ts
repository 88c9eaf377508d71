import { createHmac } from 'node:crypto'
import { MembershipError } from '../../core/errors.ts'
import type { DocumentStore, PortalRequest } from '../contract.ts'
import { type Books, idFrom } from './books.ts'

/** A member's way into the portal: its id is the key, for one hour. */
export interface PortalSession {
  readonly id: string
  readonly customer: string
  readonly return_url: string
  readonly expires: string
}

const hourMs = 3_600_000

/** Opens and finds portal sessions. */
export const createPortal = (deps: {
  store: DocumentStore
  books: Books
  now: () => Date
  randomId: () => string
  secret: () => string
}) => {
  const { store, books, now, randomId, secret } = deps
  const addressOf = (id: string) => `/membership/sandbox/portal/${id}`
  const placeOf = (id: string) => `portal/${idFrom('key', id)}`

  const save = async (id: string, customer: string, returnUrl: string): Promise<string> => {
    const expires = new Date(now().getTime() + hourMs).toISOString()
    await store.put(placeOf(id), { id, customer, return_url: returnUrl, expires } satisfies PortalSession)
    return addressOf(id)
  }

  const open = async ({
    customerId: customer,
    returnUrl,
    idempotencyKey: key,
  }: PortalRequest): Promise<{ url: string }> => {
    await books.get('customer', customer)
    return books.call({ key, what: { do: 'portal', customer, returnUrl }, owners: [customer] }, async () => ({
      url: await save(randomId(), customer, returnUrl),
    }))
  }

  /** The page on which an open payment is paid; the same one each time, valid for an hour from now. */
  const payUrl = async (subscriptionId: string): Promise<string | null> => {
    const subscription = await books.find('subscription', subscriptionId)
    if (subscription?.status !== 'past_due' || subscription.open_payment === null) return null
    const id = createHmac('sha256', secret()).update(`pay ${subscription.open_payment}`).digest('base64url')
    return save(id, subscription.customer, '/')
  }

  /** @throws ERR_NOT_FOUND when there is none, or its hour is over */
  const find = async (id: string): Promise<PortalSession> => {
    const session = await store.get<PortalSession>(placeOf(id))
    if (session !== null && session.id === id && session.expires > now().toISOString()) return session
    throw new MembershipError('ERR_NOT_FOUND', 'This page was for one hour, which is over.', {
      action: 'Open it again from your account.',
    })
  }

  return { open, payUrl, find, addressOf }
}
export type Portal = ReturnType<typeof createPortal>
