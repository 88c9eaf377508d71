import test, { type ExecutionContext } from 'ava'
import type { FakeStripe } from '../../src/testkit/index.ts'
import { openSellingSite, purchase } from '../support/selling-site.ts'
import { createVisitor } from '../support/visitor.ts'
import { creem } from './creem/selling.ts'
import { dodo } from './dodo/selling.ts'
import { lemonsqueezy } from './lemonsqueezy/selling.ts'
import { paddle } from './paddle/selling.ts'
import { polar } from './polar/selling.ts'
import type { SellingCase } from './selling-case.ts'
import { stripe } from './stripe/selling.ts'

const english = { accept: 'text/html' }
const german = { ...english, 'accept-language': 'de' }

/** Label and text of each fact on a page. */
function factsOf(page: string): Record<string, string> {
  return Object.fromEntries(
    [...page.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)/g)].map(([, name, text]) => [name!, text!]),
  )
}

/** The order page of a plan, and the page to print of a payment for it. */
async function pagesOf(t: ExecutionContext, sellingCase: SellingCase) {
  const opened = await openSellingSite(t, sellingCase, { 'membership.shop.country': 'DE' })
  const order = async (headers: Record<string, string>) =>
    factsOf((await createVisitor(opened.site).get('/membership/order?plan=pro', headers)).text)
  const receipt = async () => {
    const { visitor } = await purchase(opened, 'ann@example.com')
    const [payment] = (await opened.m.users.findByEmail('ann@example.com'))!.payments()
    return factsOf((await visitor.get(`/membership/payments/${payment!.id}`, english)).text)
  }
  return { ...opened, order, receipt }
}

const others = [
  [paddle, 'Paddle'],
  [lemonsqueezy, 'Lemon Squeezy'],
  [polar, 'Polar'],
  [creem, 'Creem'],
  [dodo, 'Dodo Payments'],
] as const

for (const [sellingCase, name] of others)
  test(`${sellingCase.key} sells in its own name, and the pages say so`, async (t) => {
    const { order, receipt } = await pagesOf(t, sellingCase)
    t.is(
      (await order(english)).Seller,
      `${name} sells this in its own name. The contract is with ${name}, and so are the invoice and the tax.`,
    )
    t.is((await receipt()).Seller, name)
  })

test('the order page names the seller in German', async (t) => {
  const { order } = await pagesOf(t, paddle)
  t.regex(
    (await order(german)).Verkäufer ?? '',
    /^Paddle verkauft im eigenen Namen\. Der Vertrag kommt mit Paddle/,
  )
})

test('with Stripe the site sells, unless Managed Payments are on', async (t) => {
  const { order, receipt, fake } = await pagesOf(t, stripe)
  t.is((await order(english)).Seller, undefined)
  t.not((await receipt()).Seller, undefined)
  const [session] = (fake as unknown as FakeStripe).objects.list('checkout.session')
  t.is(session!.managed_payments, null)
})

test('with Managed Payments Stripe sells new purchases, and no page names a seller for possibly older ones', async (t) => {
  const managed: SellingCase = { ...stripe, settings: () => ({ managed_payments: true }) }
  const { order, receipt, fake } = await pagesOf(t, managed)
  t.regex((await order(english)).Seller ?? '', /^Stripe sells this in its own name/)
  t.is((await receipt()).Seller, undefined)
  const [session] = (fake as unknown as FakeStripe).objects.list('checkout.session')
  t.deepEqual(session!.managed_payments, { enabled: true })
})
