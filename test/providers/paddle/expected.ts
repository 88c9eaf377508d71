import type { Expected } from '../case.ts'

// Worked out by hand from each payload and Paddle's API reference, not recorded from the code.

function own(name: string): string {
  return `${name}--paddle-node-sdk.json`
}

/** What says nothing about a member: https://developer.paddle.com/webhooks/overview lists all. */
const silent = [
  ...['created', 'imported', 'updated'].flatMap((done) =>
    ['address', 'business', 'discount', 'price', 'product'].map((thing) => `${thing}.${done}`),
  ),
  'invoice.paid',
  'payment_method.deleted',
  'payment_method.saved',
  'payout.created',
  'payout.paid',
  // A page that somebody opened: nobody has bought anything.
  'transaction.created',
]

type SubscriptionFields = Extract<Expected, { type: 'subscription' }>['data']
type MoneyFields = Extract<Expected, { type: 'money' }>['data']

const monthly = { price_id: 'pri_01gsz8x8sawmvhz1pv30nge1ke', product_id: 'pro_01gsz4t5hdjse780zja8vvr7jg' }
const support = { price_id: 'pri_01h1vjfevh5etwq3rb416a23h2', product_id: 'pro_01h1vjes1y163xfj1rh1tkfb65' }
const seats = { price_id: 'pri_01gsz95g2zrkagg294kpstx54r', product_id: 'pro_01gsz92krfzy3hcx5h5rtgnfwz' }
const setup = { price_id: 'pri_01gsz98e27ak2tyhexptwc58yk', product_id: 'pro_01gsz97mq9pa4fkyy0wqenepkz' }
const yearly = { price_id: 'pri_01gsz91wy9k1yn7kx82aafwvea', product_id: 'pro_01gsz4vmqbjk3x4vvtafffd540' }
const yearlySeats = {
  price_id: 'pri_01gsz96z29d88jrmsf2ztbfgjg',
  product_id: 'pro_01gsz92krfzy3hcx5h5rtgnfwz',
}

/** The subscription that most of the published notifications are about: ten of one thing, one of another. */
function subscription(data: SubscriptionFields, stage: 'created' | 'updated' = 'updated'): Expected {
  return {
    type: 'subscription',
    id: 'sub_01h7ht5z5wdg9pz18jx1fagp8k',
    stage,
    data: {
      customer_id: 'ctm_01h7hswb86rtps5ggbq7ybydcw',
      ...monthly,
      quantity: 10,
      status: 'active',
      provider_status: null,
      currency: 'USD',
      unit_amount: 3240,
      interval: 'month',
      interval_count: 1,
      started_at: '2023-08-11T08:07:35.449123Z',
      trial_ends_at: null,
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
      ended_at: null,
      paused_at: null,
      resumes_at: null,
      ...data,
    },
  }
}

function period(starts: string | null, ends: string | null): SubscriptionFields {
  return {
    current_period_start: starts,
    current_period_end: ends,
    items: [
      { id: null, ...monthly, quantity: 10, current_period_start: starts, current_period_end: ends },
      { id: null, ...support, quantity: 1, current_period_start: starts, current_period_end: ends },
    ],
  }
}

const first = period('2023-08-11T08:07:35.449123Z', '2023-09-11T08:07:35.449123Z')

function payment(id: string, data: MoneyFields): Expected {
  return {
    type: 'money',
    kind: 'payment',
    id,
    stage: 'updated',
    data: { refs: [], purpose: 'recurring', currency: 'USD', metadata: {}, ...data },
  }
}

/** Made from a transaction that names it: the message of its beginning says which. */
const begun: Expected = {
  type: 'money',
  kind: 'link',
  id: 'txn_01h7hst69d7tar4rm6vyeb0j36',
  stage: 'created',
  data: {
    refs: [
      { kind: 'payment', id: 'txn_01h7hst69d7tar4rm6vyeb0j36' },
      { kind: 'subscription', id: 'sub_01h7ht5z5wdg9pz18jx1fagp8k' },
    ],
    subscription_id: 'sub_01h7ht5z5wdg9pz18jx1fagp8k',
  },
}

// Bought in one cart: two that are billed every month, one once.
const cart = {
  customer_id: 'ctm_01h8e18bxp9hby49dnm8ewf0m0',
  price_id: monthly.price_id,
  quantity: 10,
  amount: 65215,
  items: [
    { ...monthly, quantity: 10 },
    { ...support, quantity: 1 },
    { ...setup, quantity: 1 },
  ],
}
const invoiced = {
  customer_id: 'ctm_01h8441jn5pcwrfhwh78jqt8hk',
  price_id: yearly.price_id,
  quantity: 20,
  amount: 1437041,
  items: [
    { ...yearly, quantity: 20 },
    { ...yearlySeats, quantity: 1 },
    { ...setup, quantity: 1 },
  ],
}

function refund(stage: 'created' | 'updated', state: 'pending' | 'succeeded'): Expected {
  return {
    type: 'money',
    kind: 'refund',
    id: 'adj_01h8c6tbrkpdd7vx61w7b1r0ap',
    stage,
    data: {
      refs: [
        { kind: 'payment', id: 'txn_01h8bxpvx398a7zbawb77y0kp5' },
        { kind: 'subscription', id: 'sub_01h8bxswamxysj44zt5n48njwh' },
      ],
      amount: 100,
      currency: 'USD',
      state,
    },
  }
}

const sam: Expected = {
  type: 'customer',
  id: 'ctm_01h8441jn5pcwrfhwh78jqt8hk',
  stage: 'updated',
  data: {
    id: 'ctm_01h8441jn5pcwrfhwh78jqt8hk',
    email: 'sam@example.com',
    name: 'Sam Miller',
    deleted: false,
  },
}

/** By the payload's file name. */
export const expected: Record<string, readonly Expected[]> = {
  ...Object.fromEntries(silent.map((name) => [own(name), []])),
  [own('customer.created')]: [{ ...sam, stage: 'created' }],
  [own('customer.imported')]: [sam],
  [own('customer.updated')]: [
    {
      type: 'customer',
      id: 'ctm_01h844p3h41s12zs5mn4axja51',
      stage: 'updated',
      data: {
        id: 'ctm_01h844p3h41s12zs5mn4axja51',
        email: 'alex@example.com',
        name: 'Alex Wilson',
        deleted: false,
      },
    },
  ],
  [own('subscription.created')]: [subscription(first, 'created'), begun],
  'subscription.created--pay.json': [
    subscription(
      {
        ...first,
        customer_id: 'ctm_0123',
      },
      'created',
    ),
    begun,
  ],
  [own('subscription.activated')]: [subscription(first)],
  [own('subscription.updated')]: [
    subscription(period('2023-09-11T08:07:35.449123Z', '2023-10-11T08:07:35.449123Z')),
  ],
  [own('subscription.past_due')]: [
    subscription({
      status: 'past_due',
      ...period('2023-10-11T08:07:35.449123Z', '2023-11-11T08:07:35.449123Z'),
    }),
  ],
  [own('subscription.paused')]: [
    subscription({ status: 'paused', paused_at: '2023-11-11T08:08:19.833481556Z', ...period(null, null) }),
  ],
  [own('subscription.resumed')]: [
    subscription(period('2023-11-11T08:33:04.443903Z', '2023-12-11T08:33:04.443903Z')),
  ],
  [own('subscription.canceled')]: [
    subscription({
      status: 'canceled',
      canceled_at: '2024-01-11T08:34:01.787929969Z',
      ended_at: '2024-01-11T08:34:01.787929969Z',
      current_period_end: null,
      items: [
        ...(period(null, null).items ?? []),
        { id: null, ...seats, quantity: 1, current_period_start: null, current_period_end: null },
      ],
    }),
  ],
  [own('subscription.trialing')]: [
    {
      type: 'subscription',
      id: 'sub_01h84ck8sg4ebkpzqb9x2mtjjf',
      stage: 'updated',
      data: {
        customer_id: 'ctm_01h84cjfwmdph1k8kgsyjt3k7g',
        currency: 'USD',
        status: 'trialing',
        price_id: 'pri_01h84cdy3xatsp16afda2gekzy',
        // The product itself is null here; the price names it.
        product_id: 'pro_01h84cd36f900f3wmpdfamgv8w',
        unit_amount: 0,
        interval: 'year',
        trial_ends_at: '2023-08-28T13:15:46.864158Z',
        current_period_end: '2023-08-28T13:15:46.864158Z',
      },
    },
  ],
  [own('subscription.imported')]: [
    {
      type: 'subscription',
      id: 'sub_01gxwxwn84xqf0690d7qn5r2g7',
      stage: 'updated',
      data: {
        customer_id: 'ctm_01gxwxe6vzgz6hcsbwjs6zrszr',
        current_period_end: '2023-05-13T09:07:04.730931Z',
        status: 'active',
        ...monthly,
        currency: 'GBP',
        unit_amount: 3600,
        items: [
          {
            id: null,
            ...monthly,
            quantity: 10,
            current_period_start: '2023-04-13T09:07:04.730931Z',
            current_period_end: '2023-05-13T09:07:04.730931Z',
          },
          {
            id: null,
            ...seats,
            quantity: 1,
            current_period_start: '2023-04-13T09:07:04.730931Z',
            current_period_end: '2023-05-13T09:07:04.730931Z',
          },
          // Bought once beside it: it has no period.
          { id: null, ...setup, quantity: 1, current_period_start: null, current_period_end: null },
        ],
      },
    },
  ],
  [own('transaction.ready')]: [payment('txn_01h8dzxgkvdwemdhbpcapj2tbj', { ...cart, state: 'pending' })],
  // One try failed; the page is still open.
  [own('transaction.payment_failed')]: [
    payment('txn_01h8dzxgkvdwemdhbpcapj2tbj', { ...cart, state: 'pending' }),
  ],
  [own('transaction.completed')]: [
    payment('txn_01h8dzxgkvdwemdhbpcapj2tbj', {
      ...cart,
      state: 'paid',
      // Of two tries the one that was captured.
      paid_at: '2023-08-22T07:15:43.792797Z',
    }),
  ],
  [own('transaction.revised')]: [
    payment('txn_01hv8wptq8987qeep44cyrewp9', {
      ...cart,
      customer_id: 'ctm_01hv6y1jedq4p1n0yqn5ba3ky4',
      refs: [{ kind: 'subscription', id: 'sub_01hv8x29kz0t586xy6zn1a62ny' }],
      subscription_id: 'sub_01hv8x29kz0t586xy6zn1a62ny',
      state: 'paid',
      paid_at: '2024-04-12T10:18:47.635628Z',
    }),
  ],
  // The first payment of a subscription that nobody names yet: what its prices say.
  [own('transaction.paid')]: [
    payment('txn_01gxwxqj0rd5m8j1zdhvk05twz', {
      customer_id: 'ctm_01gxwxe6vzgz6hcsbwjs6zrszr',
      price_id: monthly.price_id,
      quantity: 10,
      amount: 89880,
      currency: 'GBP',
      items: [
        { ...monthly, quantity: 10 },
        { ...seats, quantity: 1 },
        { ...setup, quantity: 1 },
      ],
      state: 'paid',
      paid_at: '2023-04-13T09:07:04.730931Z',
    }),
  ],
  [own('transaction.past_due')]: [
    payment('txn_01h8e2svn94ze7bfj0zfh7z6wm', {
      customer_id: 'ctm_01h8e18bxp9hby49dnm8ewf0m0',
      refs: [{ kind: 'subscription', id: 'sub_01h8e1jxhhss1a6agahb2xh9j0' }],
      subscription_id: 'sub_01h8e1jxhhss1a6agahb2xh9j0',
      price_id: monthly.price_id,
      quantity: 10,
      amount: 43549,
      items: [
        { ...monthly, quantity: 10 },
        { ...support, quantity: 1 },
      ],
      state: 'failed',
    }),
  ],
  [own('transaction.billed')]: [payment('txn_01h8e0d5sej61d5n18bth8d7se', { ...invoiced, state: 'pending' })],
  [own('transaction.canceled')]: [
    payment('txn_01h8e0d5sej61d5n18bth8d7se', {
      ...invoiced,
      refs: [{ kind: 'subscription', id: 'sub_01h8e3a4xydvszvmnm61x1t0kt' }],
      subscription_id: 'sub_01h8e3a4xydvszvmnm61x1t0kt',
      state: 'failed',
    }),
  ],
  [own('transaction.updated')]: [
    payment('txn_01h8e3zqj6ychnn5s5sd2nd5py', {
      ...invoiced,
      quantity: 50,
      amount: 3070166,
      items: [
        { ...yearly, quantity: 50 },
        { ...yearlySeats, quantity: 1 },
        { ...setup, quantity: 1 },
      ],
      state: 'pending',
    }),
  ],
  [own('adjustment.created')]: [refund('created', 'pending')],
  [own('adjustment.updated')]: [refund('updated', 'succeeded')],
}
