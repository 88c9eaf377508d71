// Objects as Mollie's API shows them, and what its webhooks send. Sources: https://docs.mollie.com/reference/get-payment,
// get-subscription, get-refund, get-chargeback, get-customer, webhooks, webhooks-new

/** A classic webhook: a form. */
export function molliePing(id: string): string {
  return `id=${id}`
}

/** An event of the newer webhooks, with its object unless there is none. */
export function mollieEvent(type: string, entity: Readonly<Record<string, unknown>> & { id: string }) {
  return {
    resource: 'event',
    id: `event_${entity.id}`,
    type,
    entityId: entity.id,
    createdAt: '2026-03-01T00:01:00.0Z',
    _embedded: { entity },
  }
}

function euro(value: string) {
  return { value, currency: 'EUR' }
}

export function mollieCustomer(more = {}) {
  return {
    resource: 'customer',
    id: 'cst_ann',
    mode: 'test',
    name: 'Ann',
    email: 'ann@example.com',
    metadata: null,
    createdAt: '2026-03-01T00:00:00+00:00',
    ...more,
  }
}

/** What one purchase notes beside its payment and its subscription. */
export const noted = { membership_price: 'pro', membership_quantity: '1' }

/** Pays the first period, and allows the charges that follow. */
export function mollieFirst(more = {}) {
  return {
    resource: 'payment',
    id: 'tr_first',
    mode: 'test',
    createdAt: '2026-03-01T00:00:00+00:00',
    amount: euro('9.00'),
    description: 'Pro',
    method: 'ideal',
    metadata: noted,
    status: 'paid',
    paidAt: '2026-03-01T00:00:30+00:00',
    customerId: 'cst_ann',
    mandateId: 'mdt_1',
    sequenceType: 'first',
    ...more,
  }
}

/** Begins when the first period has ended. */
export function mollieSubscription(more = {}) {
  return {
    resource: 'subscription',
    id: 'sub_1',
    mode: 'test',
    createdAt: '2026-03-01T00:00:40+00:00',
    status: 'active',
    amount: euro('9.00'),
    times: null,
    interval: '1 month',
    startDate: '2026-04-01',
    nextPaymentDate: '2026-04-01',
    description: 'Pro',
    metadata: { ...noted, membership_first: 'tr_first' },
    customerId: 'cst_ann',
    mandateId: 'mdt_1',
    ...more,
  }
}

/** What the subscription charges by itself. */
export function mollieCharge(more = {}) {
  return {
    ...mollieFirst({
      id: 'tr_april',
      method: 'directdebit',
      createdAt: '2026-04-01T03:00:00+00:00',
      paidAt: '2026-04-03T08:00:00+00:00',
      sequenceType: 'recurring',
      subscriptionId: 'sub_1',
      metadata: { ...noted, membership_first: 'tr_first' },
    }),
    ...more,
  }
}

/** Something that is bought once. */
export function mollieBook(more = {}) {
  return mollieFirst({
    id: 'tr_book',
    amount: euro('30.00'),
    amountRefunded: euro('0.00'),
    metadata: { membership_price: 'book', membership_quantity: '1' },
    sequenceType: 'oneoff',
    mandateId: undefined,
    ...more,
  })
}

export function mollieRefund(more = {}) {
  return {
    resource: 'refund',
    id: 're_1',
    mode: 'test',
    amount: euro('30.00'),
    status: 'refunded',
    createdAt: '2026-03-02T10:00:00+00:00',
    paymentId: 'tr_book',
    ...more,
  }
}

export function mollieChargeback(more = {}) {
  return {
    resource: 'chargeback',
    id: 'chb_1',
    amount: euro('9.00'),
    createdAt: '2026-03-20T10:00:00+00:00',
    reversedAt: null,
    paymentId: 'tr_first',
    ...more,
  }
}
