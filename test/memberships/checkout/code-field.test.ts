import test from 'ava'
import { openStripeSite } from '../../support/stripe-site.ts'
import { createVisitor } from '../../support/visitor.ts'

const html = { accept: 'text/html' }
const path = '/membership/order?plan=pro&price=price_month'

/** The fields of the order's form, and its folded field for a code. */
function read(page: string) {
  const [form = ''] = /<form class="confirm"[\s\S]*?<\/form>/.exec(page) ?? []
  const [code = null] = /<details class="order-code"[\s\S]*?<\/details>/.exec(form) ?? []
  return {
    code,
    fields: Object.fromEntries(
      [...form.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)].map(([, name, value]) => [
        name!,
        value!,
      ]),
    ),
  }
}

test('the order page has a folded field for a code; a wrong one is answered beside it, and a good one is taken off', async (t) => {
  const { fake, m, site } = await openStripeSite(t, {
    'membership.shop.country': 'DE',
    'membership.shop.code_field': true,
  })
  await m.operator.catalogue.refresh('stripe')
  fake.addCoupon({ percent_off: 20, code: 'TIDE' })
  const visitor = createVisitor(site)
  const page = await visitor.get(path, html)
  const { code, fields } = read(page.text)
  t.regex(code ?? '', /<details class="order-code">\s*<summary>Do you have a discount code\?/)
  t.is(page.text.match(/name="code"/g)?.length, 1)

  const order = (typed: string) =>
    visitor.send(
      '/membership/subscribe/pro',
      { ...fields, code: typed },
      { ...html, 'sec-fetch-mode': 'navigate' },
    )
  const wrong = await order('TIDY"')
  t.is(wrong.status, 422, wrong.text)
  const again = read(wrong.text)
  t.regex(again.code ?? '', /<details class="order-code" open>/)
  t.regex(again.code ?? '', /value="TIDY&quot;"[^>]*aria-invalid="true"/)
  t.regex(again.code ?? '', /class="field-error">This code is not valid/)
  t.regex(wrong.text, /name="consent" value="[^"]+" checked required/, 'what was ticked stays')

  const linked = await visitor.get(`${path}&consent=${encodeURIComponent(fields.consent!)}&shown=x`, html)
  t.notRegex(linked.text, /checked/, 'a link ticks nothing')

  const good = await order('TIDE')
  t.is(good.status, 303, good.text)
  const [session] = fake.objects.list('checkout.session').filter(({ status }) => status === 'open')
  t.is((session as { total_details?: { amount_discount?: number } }).total_details?.amount_discount, 180)
  // A program gets the error, with the field’s name.
  const { token: _, ...sent } = fields
  const json = await createVisitor(site).send('/membership/subscribe/pro', { ...sent, code: 'NONE' })
  t.is(json.status, 400)
  t.is(json.json.field, 'code')
})

test('without the setting the page has no such field, and keeps a code from its address', async (t) => {
  const { m, site } = await openStripeSite(t, { 'membership.shop.country': 'DE' })
  await m.operator.catalogue.refresh('stripe')
  const visitor = createVisitor(site)
  t.is(read((await visitor.get(path, html)).text).code, null)
  const { code, fields } = read((await visitor.get(`${path}&code=TIDE`, html)).text)
  t.is(code, null)
  t.is(fields.code, 'TIDE')
})
