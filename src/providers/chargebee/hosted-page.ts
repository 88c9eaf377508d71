import { unstated } from '../../core/dto/index.ts'
import type { ListApi } from '../api.ts'
import type { Change, Fetched, MoneyFact, Ref } from '../contract.ts'
import { amountPart, type ReadMoney } from '../money.ts'
import { obj, str, whole } from '../narrow.ts'
import { address } from '../rest.ts'
import { objectChanges } from './changes.ts'
import { currencyOf, moment } from './facts.ts'
import type { Content, HostedPage } from './payload.ts'

/**
 * Reads a hosted page and what was bought on it; null when Chargebee does not know it. No event reports a
 * page. https://apidocs.chargebee.com/docs/api/hosted_pages
 */
export async function readPage(api: Pick<ListApi, 'find'>, id: string): Promise<Fetched | null> {
  const found = await api.find<Content>(`checkout ${id}`, address`/hosted_pages/${id}`)
  if (found === null) return null
  const { at } = found
  const page = obj(found.raw.hosted_page)
  const { customer } = obj(page.content)
  return { changes: [...objectChanges({ customer }), ...toPage(page, at)], at }
}

function toPage(page: HostedPage, at: string): Change[] {
  const id = str(page.id)
  const status = statusOf(page, at)
  // Nobody has agreed to anything yet.
  if (id === null || status === 'open') return []
  const { subscription, invoice } = obj(page.content)
  const [subscriptionId, invoiceId] = [str(obj(subscription).id), str(obj(invoice).id)]
  const refs: Ref[] = [
    ...(invoiceId === null ? [] : [{ kind: 'payment', id: invoiceId } as const]),
    ...(subscriptionId === null ? [] : [{ kind: 'subscription', id: subscriptionId } as const]),
  ]
  const data: ReadMoney = {
    id,
    refs,
    intent_id: str(page.pass_thru_content),
    checkout_status: status,
    purpose: page.type === 'checkout_one_time' ? 'one_time' : 'recurring',
    ...(subscriptionId === null ? {} : { subscription_id: subscriptionId }),
    customer_id: str(obj(subscription).customer_id) ?? str(obj(invoice).customer_id),
    ...amountPart(unstated(currencyOf(obj(invoice)) ?? currencyOf(obj(subscription)))),
    state: stateOf(page),
  }
  // It has no revision of its own: the purchase changes and the page expires while the page object stays the
  // same.
  return [{ type: 'money', kind: 'checkout', id, stage: 'updated', data }]
}

function statusOf(page: HostedPage, at: string): NonNullable<MoneyFact['checkout_status']> {
  if (isBought(page)) return 'complete'
  return (moment(page.expires_at) ?? at) < at ? 'expired' : 'open'
}

function isBought({ state }: HostedPage): boolean {
  return state === 'succeeded' || state === 'acknowledged'
}

// A trial has no invoice, and a bank transfer takes days.
function stateOf(page: HostedPage): MoneyFact['state'] {
  if (!isBought(page)) return 'failed'
  const { invoice } = obj(page.content)
  const { status, amount_due } = obj(invoice)
  if (status === 'voided' || status === 'not_paid') return 'failed'
  return status === 'paid' || (whole(amount_due) ?? 0) === 0 ? 'paid' : 'pending'
}
