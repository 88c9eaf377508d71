import type { Expected } from '../case.ts'

// Worked out by hand from each payload and Lemon Squeezy's API reference, not recorded from the code.

const sold = { price_id: '394420', product_id: '278897', quantity: 1 }

function subscription(stage: 'created' | 'updated', renewsAt: string): Expected[] {
  return [
    {
      type: 'subscription',
      id: '421953',
      stage,
      contact: { email: 'test@company.com', name: 'Mr. X and Mrs. Y' },
      data: {
        customer_id: '3083767',
        ...sold,
        items: [{ id: null, ...sold, current_period_start: null, current_period_end: renewsAt }],
        status: 'active',
        provider_status: null,
        // Neither its price nor its period stands in it.
        currency: null,
        unit_amount: null,
        interval: null,
        interval_count: null,
        started_at: '2024-06-19T14:08:10.000000Z',
        trial_ends_at: null,
        current_period_start: null,
        current_period_end: renewsAt,
        cancel_at_period_end: false,
        cancel_at: null,
        canceled_at: null,
        ended_at: null,
        paused_at: null,
        resumes_at: null,
        metadata: {},
      },
    },
    {
      type: 'money',
      kind: 'link',
      id: '421953',
      stage,
      data: {
        refs: [
          { kind: 'payment', id: '2925880' },
          { kind: 'subscription', id: '421953' },
        ],
        subscription_id: '421953',
        state: 'pending',
      },
    },
  ]
}

const paid = {
  customer_id: '3083767',
  amount: 1999,
  amount_refunded: 0,
  currency: 'EUR',
  state: 'paid',
  email: 'test@company.com',
  name: 'Mr. X and Mrs. Y',
} as const

const orderOf = 'https://app.lemonsqueezy.com/my-orders/62acd246-fb68-46f0-94d1-5879182773b7'

/** What each public payload says, by its name in the corpus. */
export const expected: Readonly<Record<string, readonly Expected[]>> = {
  'license_key_created--lemonsqueezy-java.json': [],
  'order_created--lemonsqueezy-java.json': [
    {
      type: 'money',
      kind: 'payment',
      id: '2925880',
      stage: 'created',
      data: {
        ...paid,
        refs: [],
        // It began a subscription, which it does not say.
        purpose: 'unknown',
        price_id: '394420',
        quantity: 1,
        items: [sold],
        paid_at: '2024-06-19T14:08:14.000000Z',
        invoice_url: `${orderOf}?signature=44ac813b596ec2dbe724c011b3fc8d8648cdc6293a977df815b063e3d41cb69d`,
        metadata: {},
      },
    },
    {
      type: 'customer',
      id: '3083767',
      stage: 'created',
      data: { id: '3083767', email: 'test@company.com', name: 'Mr. X and Mrs. Y', deleted: false },
    },
  ],
  'order_created.minimal--lemonsqueezy-java.json': [],
  'subscription_created--lemonsqueezy-java.json': subscription('created', '2025-06-19T14:08:09.000000Z'),
  'subscription_payment_success--lemonsqueezy-java.json': [
    {
      type: 'money',
      kind: 'payment',
      part: 'bill',
      id: 'inv_1134198',
      stage: 'updated',
      data: {
        ...paid,
        refs: [
          { kind: 'subscription', id: '421953' },
          { kind: 'link', id: '421953' },
        ],
        purpose: 'recurring',
        subscription_id: '421953',
        paid_at: '2024-06-19T14:08:13.000000Z',
        invoice_url: `${orderOf}/subscription-invoice/1134198?signature=db595e2150c25df90634bb92008059e4efe71fb893a0212254e4e1f557d31825`,
      },
    },
  ],
  'subscription_updated--lemonsqueezy-java.json': subscription('updated', '2024-06-19T14:08:13.000000Z'),
}
