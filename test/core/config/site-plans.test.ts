import test from 'ava'
import { load, refusal } from './support.ts'

const providers = { stripe: { secret: 'sk_test_1' }, paddle: { secret: 'p' } }
async function pricesOf(membership: object) {
  const { config } = await load({ membership })
  return Object.fromEntries(
    Object.entries(config.providers).map(([key, { plans }]) => [
      key,
      Object.fromEntries(Object.entries(plans).map(([id, { prices }]) => [id, prices.map(({ id }) => id)])),
    ]),
  )
}

test('a plan of the site has the prices of every provider, each with its own', async (t) => {
  const membership = {
    providers,
    plans: {
      pro: {
        name: 'Pro',
        opens: ['archive'],
        lines: ['Everything'],
        words: { de: { name: 'Profi', lines: ['Alles'] } },
        prices: { stripe: ['price_1', { id: 'price_2', amount: 900, currency: 'eur' }], paddle: ['pri_1'] },
        retired: { stripe: ['price_0'] },
      },
      team: { seats: 5, prices: { paddle: ['pri_2'] } },
      guest: { name: 'Guest' },
    },
  }
  t.deepEqual(await pricesOf(membership), {
    stripe: { pro: ['price_1', 'price_2', 'price_0'], guest: [] },
    paddle: { pro: ['pri_1'], team: ['pri_2'], guest: [] },
  })
  const { config } = await load({ membership })
  const { pro } = config.providers.stripe!.plans
  t.like(pro, {
    name: 'Pro',
    provider: 'stripe',
    opens: ['archive'],
    lines: ['Everything'],
    features: ['Everything'],
  })
  t.deepEqual(pro!.words, { de: { name: 'Profi', lines: ['Alles'], features: ['Alles'] } })
  t.like(pro!.prices[1], { amount: 900, currency: 'EUR', retired: false })
  t.true(pro!.prices[2]!.retired)
  t.is(config.providers.paddle!.accepts, 'plans')
})

test('a plain list is enough for one provider, the sandbox counted, and refused for two', async (t) => {
  const plans = { pro: { prices: ['price_1'] } }
  t.deepEqual(await pricesOf({ providers: { sandbox: {} }, plans }), { sandbox: { pro: ['price_1'] } })
  const error = await refusal(t, { membership: { providers: { stripe: {}, sandbox: {} }, plans } })
  t.regex(
    error.message,
    /membership\.plans\.pro\.prices is a plain list, and 2 providers are configured: stripe, sandbox/,
  )
  t.regex(error.action ?? '', /prices: \{ stripe: \[…\], sandbox: \[…\] \}/)
  // The provider that new checkouts go to decides nothing.
  await refusal(t, {
    membership: { provider: { handler: 'stripe' }, providers: { stripe: {}, sandbox: {} }, plans },
  })
  await refusal(t, { membership: { plans } })
})

test('one price at several providers has an id for each', async (t) => {
  const prices = [
    { id: { stripe: 'price_1', paddle: 'pri_1' }, amount: 900, currency: 'EUR', interval: 'month' },
    { id: { paddle: 'pri_2' }, label: 'Only here' },
  ]
  t.deepEqual(await pricesOf({ providers, plans: { pro: { prices } } }), {
    stripe: { pro: ['price_1'] },
    paddle: { pro: ['pri_1', 'pri_2'] },
  })
})

test('dotted keys and files name plans of the site, too', async (t) => {
  t.deepEqual(
    await pricesOf({ 'providers.stripe.secret': 'sk_test_1', 'plans.pro.prices': ['price_1'] } as object),
    { stripe: { pro: ['price_1'] } },
  )
})

test('a plan of the provider stays readable; one name in both places is refused', async (t) => {
  const stripe = { secret: 'sk_test_1', plans: { old: { prices: ['price_0'], features: ['A line'] } } }
  t.deepEqual(await pricesOf({ providers: { stripe }, plans: { pro: { prices: ['price_1'] } } }), {
    stripe: { old: ['price_0'], pro: ['price_1'] },
  })
  const error = await refusal(t, {
    membership: { providers: { stripe }, plans: { old: { prices: ['price_1'] } } },
  })
  t.regex(
    error.message,
    /membership\.plans\.old and membership\.providers\.stripe\.plans\.old are both given/,
  )
})

test('mistakes are named at the key that was written', async (t) => {
  const of = async (pro: object) => (await refusal(t, { membership: { providers, plans: { pro } } })).message
  t.regex(
    await of({ features: ['x'], prices: { stripe: ['price_1'] } }),
    /membership\.plans\.pro\.features is called membership\.plans\.pro\.lines here/,
  )
  t.regex(await of({ prices: { strpe: ['price_1'] } }), /names "strpe".*Did you mean "stripe"/)
  t.regex(
    await of({ prices: { stripe: [{ id: 'price_1', amount: 9.5, currency: 'EUR' }] } }),
    /membership\.plans\.pro\.prices\.stripe\[0\]\.amount must be/,
  )
  t.regex(
    await of({ price: { stripe: ['price_1'] } }),
    /Unknown key "membership\.plans\.pro\.price".*Did you mean "membership\.plans\.pro\.prices"/,
  )
})

test('a plan group has its former name in the provider’s place, and both in the site’s', async (t) => {
  const groupOf = async (options: object) => {
    const { config, formerNames } = await load({ membership: options })
    return { group: config.providers.stripe?.plans.pro?.group, formerNames }
  }
  const { stripe } = providers
  t.deepEqual(await groupOf({ providers: { stripe }, plans: { pro: { plan_group: 'a' } } }), {
    group: 'a',
    formerNames: [],
  })
  t.deepEqual(
    await groupOf({ providers: { stripe }, 'plans.pro.group': 'a', 'plans.plus': { group: 'a' } }),
    {
      group: 'a',
      formerNames: [
        'membership.plans.pro.group, membership.plans.plus.group are called plan_group now. The former name works through 2.x.',
      ],
    },
  )
  t.deepEqual(await groupOf({ providers: { stripe: { ...stripe, plans: { pro: { group: 'a' } } } } }), {
    group: 'a',
    formerNames: [],
  })
  const both = { providers: { stripe }, plans: { pro: { group: 'a', plan_group: 'b' } } }
  const { message, action } = await refusal(t, { membership: both })
  t.regex(message, /^membership\.plans\.pro\.group and membership\.plans\.pro\.plan_group are the same key/)
  t.is(action, 'Keep membership.plans.pro.plan_group.')
})
