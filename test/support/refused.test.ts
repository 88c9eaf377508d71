import test from 'ava'
import { openMollieSite } from '../providers/mollie/site.ts'
import { openPayPalSite } from '../providers/paypal/site.ts'
import { stripe } from '../providers/stripe/selling.ts'
import { openSellingSite } from './selling-site.ts'

// Servers that stay open would keep the run waiting until its time limit.
test('a site of the tests whose configuration is refused fails at once, and leaves nothing open', async (t) => {
  const refused = { 'membership.gates.past_due': 'never' } as never
  for (const open of [
    () => openMollieSite(t, refused),
    () => openPayPalSite(t, { options: refused }),
    () => openSellingSite(t, stripe, refused),
  ])
    await t.throwsAsync(open(), { code: 'ERR_CONFIG' })
})
