import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { moneyWriter } from '../../src/core/dto/index.ts'
import { createMembership, currencyDigits, formatMoney, type MembershipOptions } from '../../src/index.ts'
import { digitsOf } from '../../src/providers/registry.ts'
import { definitions } from '../../src/testkit/definitions.ts'
import { signed, viewFrom } from '../../src/testkit/index.ts'
import { polarEvent, polarOrder } from './polar/events.ts'

// Every active currency of ISO 4217 (list one, without funds and metals) whose minor unit is not a hundredth.
const iso: Record<string, number> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3])),
}
const all =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG'.split(
    ' ',
  )

// https://docs.stripe.com/currencies, as it was read in 2026.
const stripe: Record<string, number> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD JOD KWD OMR TND'.split(' ').map((code) => [code, 3])),
}

// https://github.com/polarsource/polar/blob/main/server/polar/kit/currency.py, as it was read in 2026.
const polar: Record<string, number> = Object.fromEntries(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
)

// https://developer.paypal.com/api/rest/reference/currency-codes/, as it was read in 2026.
const paypal: Record<string, number> = { ...iso, HUF: 0, JPY: 0, TWD: 0 }

/** What a text says as a number: 1234.5 in "HUF 1,234.50". */
function numberIn(text: string): number {
  return Number(text.replaceAll(/[^\d.]/g, '').replace(/^\.+/, ''))
}

const write = moneyWriter(digitsOf(definitions))

test('an amount is formatted in the provider’s minor units in every currency, whatever digits Intl has', (t) => {
  const tables: Record<string, Record<string, number>> = {
    stripe,
    sandbox: iso,
    apple: iso,
    google: iso,
    lemonsqueezy: iso,
    chargebee: iso,
    mollie: iso,
    paddle: iso,
    paypal,
    polar,
    dodo: iso,
    creem: iso,
    revenuecat: iso,
  }
  t.deepEqual(
    definitions.map(({ key }) => key).filter((key) => !(key in tables)),
    [],
    'a provider without a table',
  )
  // Also what this Node’s own data has beyond ISO 4217, and newer ones have more.
  const currencies = new Set([...all, ...Intl.supportedValuesOf('currency')])
  for (const [provider, table] of Object.entries(tables))
    for (const currency of currencies) {
      const digits = table[currency] ?? 2
      for (const amount of [1_234_567, 1_234_560, 100_000, 5])
        t.is(
          numberIn(write({ amount, currency, provider })),
          amount / 10 ** digits,
          `${provider} ${currency}`,
        )
    }
  for (const currency of all) t.is(currencyDigits(currency), iso[currency] ?? 2, currency)
})

test('payments of a provider no longer configured keep its minor units', async (t) => {
  const url = `sqlite:${join(mkdtempSync(join(tmpdir(), 'digits-')), 'site.db')}`
  const open = (options: MembershipOptions) =>
    createMembership({
      'membership.database.url': url,
      root: false,
      install: false,
      log: () => {},
      ...options,
    })
  const before = await open({
    'membership.providers.polar.webhook': 'whsec_polar',
    'membership.providers.polar.livemode': true,
  })
  await before.users.create({ email: 'ann@example.com', verified: true })
  const paid = polarEvent('order.paid', '2026-03-01T00:00:05Z', polarOrder({ currency: 'isk' }))
  await before.webhooks.receive('polar', signed('polar', paid, { secret: 'whsec_polar' }))
  await before.close()

  const m = await open({ 'membership.providers.stripe.webhook': 'whsec_stripe' })
  const user = await m.users.findByEmail('ann@example.com')
  const [payment] = user!.payments()
  t.is(payment?.currency, 'ISK')
  const view = await m.viewOf(user!)
  // A hundredth at Polar, whole krónur by ISO 4217.
  t.is(numberIn(view.money({ ...payment!, currency: 'ISK' })), payment!.amount / 100)
  await m.close()
})

test('forint, króna and rupiah are not shown a hundred times too high', (t) => {
  for (const currency of ['HUF', 'ISK', 'IDR', 'COP', 'PKR', 'UGX', 'TWD'])
    t.is(numberIn(viewFrom().money({ amount: 990_000, currency, provider: 'stripe' })), 9900, currency)
  t.is(numberIn(formatMoney({ amount: 990_000, currency: 'HUF' })), 9900)
  t.is(numberIn(formatMoney({ amount: 990_050, currency: 'PKR' })), 9900.5)
  t.is(formatMoney({ amount: 900, currency: 'EUR' }), '€9')
})
