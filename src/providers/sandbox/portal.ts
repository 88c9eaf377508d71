import { createHmac } from 'node:crypto'
import { MembershipError } from '../../core/errors.ts'
import type { DocumentStore, PortalRequest } from '../contract.ts'
import { type Books, unknownObject } from './books.ts'
import { openInvoices } from './customers.ts'
import { hashOf, ownerOf } from './ids.ts'

/** Access to the portal: its id is the key, valid for an hour. */
export interface PortalSession {
  readonly id: string
  readonly customer: string
  readonly return_url: string
  readonly expires: string
  /** The subscription whose open payment the page is for; absent for the whole portal. */
  readonly pays?: string
}

const hourMs = 3_600_000

export interface Portal {
  open(request: PortalRequest): Promise<{ url: string }>
  /** Returns the page on which an open payment is paid; always the same one, valid for an hour from now. */
  payUrl(subscriptionId: string): Promise<string | null>
  /** @throws ERR_NOT_FOUND when there is none, or its hour is over */
  find(id: string): Promise<PortalSession>
  addressOf(id: string): string
}

/** Opens and finds portal sessions. */
export function createPortal(deps: {
  store: DocumentStore
  books: Books
  now: () => Date
  randomId: () => string
  secret: () => string
}): Portal {
  const { store, books, now, randomId, secret } = deps
  const addressOf = (id: string) => `/membership/sandbox/portal/${id}`
  const placeOf = (id: string) => `portal/${hashOf('key', id)}`

  const sessionFor = (id: string, customer: string, returnUrl: string): PortalSession => {
    const expires = new Date(now().getTime() + hourMs).toISOString()
    return { id, customer, return_url: returnUrl, expires }
  }

  const open = async ({
    customerId: customer,
    returnUrl,
    idempotencyKey: key,
  }: PortalRequest): Promise<{ url: string }> => {
    const what = { do: 'portal', customer, returnUrl }
    return books.call({ key, what, owner: ownerOf(customer) }, ({ world }, documents) => {
      if (!world.store.find('customer', customer)) throw unknownObject('customer', customer)
      const id = randomId()
      documents.set(placeOf(id), sessionFor(id, customer, returnUrl))
      return { url: addressOf(id) }
    })
  }

  const payUrl = async (subscriptionId: string): Promise<string | null> => {
    const open = await books.look(ownerOf(subscriptionId), (book) => openInvoices(book, subscriptionId)[0])
    if (!open) return null
    const id = createHmac('sha256', secret()).update(`pay ${open.id}`).digest('base64url')
    await store.put(placeOf(id), { ...sessionFor(id, open.customer, '/'), pays: subscriptionId })
    return addressOf(id)
  }

  const find = async (id: string): Promise<PortalSession> => {
    const session = await store.get<PortalSession>(placeOf(id))
    if (session !== null && session.id === id && session.expires > now().toISOString()) return session
    throw new MembershipError('ERR_NOT_FOUND', 'This page was for one hour, which is over.', {
      action: 'Open it again from your account.',
    })
  }

  return { open, payUrl, find, addressOf }
}
