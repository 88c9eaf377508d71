// Worked out by hand from each payload and https://docs.mollie.com/reference, as of 2026-03-01. One line for each thing
// that is said: what it is, its state, minor units, what the money is for, the mode, and what it belongs to.

function payment(id: string, rest: string) {
  return `payment ${id} ${rest}`
}
function open10(id: string, mode = 'test') {
  return [payment(id, `pending 1000 EUR one_time ${mode}`)]
}
const unsaid100 = [payment('tr_WDqYK6vllg', 'pending 10000 EUR unknown test')]

// Four charges, one of them on 2023-06-01: the next is in September, and it is no trial any more.
function quarterly(id: string, amount = 2500) {
  return `subscription ${id} active ${amount} EUR every 3 month live of cst_stTC2WHAuS 2023-06-01 2023-09-01`
}
function ofMonth(status: string) {
  return `subscription sub_wByQa6efm6 ${status} 1000 EUR every 1 month test of cst_FhQJRw4s2n`
}
function whose(id: string) {
  return `ask customer:${id}`
}
function refund(id: string, rest: string) {
  return `refund ${id} ${rest}`
}
function customerA(id: string) {
  return `customer ${id} customer@example.org Customer A test`
}

/** What each public object of Mollie's API says. */
export const expected: Readonly<Record<string, readonly string[]>> = {
  'cancel-payment.cancel-payment-200-1.canceled--mollie-openapi.json': [
    payment('tr_WDqYK6vllg', 'failed 3507 EUR one_time live'),
  ],
  'cancel-subscription.cancel-subscription-200-1.canceled--mollie-openapi.json': [
    'subscription sub_rVKGtNd6s3 canceled 2500 EUR every 3 month live of cst_stTC2WHAuS 2023-03-01 2023-06-01',
    whose('cst_stTC2WHAuS'),
  ],
  // What was kept apart and then taken shows in its payment.
  'capture--mollie-api-go-2.json': [],
  'capture--mollie-api-go.json': [],
  'capture--mollie-api-php.json': [],
  'chargeback--mollie-api-go.json': ['dispute chb_n9z0tp lost 4338 USD payment:tr_WDqYK6vllg'],
  'chargeback--mollie-api-php.json': ['dispute {{ RESOURCE_ID }} lost 4338 USD payment:tr_7UhSN1zuXS'],
  'chargeback-list--mollie-api-php.json': [
    'dispute chb_xg7414 lost 1000 EUR payment:tr_HdQrGb6N3r',
    'dispute chb_ls7ahg lost 1000 EUR payment:tr_8bVBhk2qs4',
  ],
  'create-customer-payment.create-payment-201-1.open--mollie-openapi.json': open10(
    'tr_5B8cwPMGnU6qLbRvo7qEZo',
    'live',
  ),
  'create-customer-payment.create-payment-201-11.open--mollie-openapi.json': open10('tr_jDqwhKQVgW'),
  'create-customer-payment.create-payment-201-12.open--mollie-openapi.json': open10('tr_wuGFwxKB7g'),
  'create-customer-payment.create-payment-201-13.paid--mollie-openapi.json': [
    payment('tr_NQCRf7VzKP', 'paid 100 EUR one_time test of cst_tKt44u85MM'),
    whose('cst_tKt44u85MM'),
  ],
  'create-customer-payment.create-payment-201-3.open--mollie-openapi.json': open10('tr_92M7kM99Rg'),
  'create-customer-payment.create-payment-201-4.open--mollie-openapi.json': open10('tr_RyNpP6zd9t'),
  'create-customer-payment.create-payment-201-5.open--mollie-openapi.json': open10('tr_hSW7aK9NJA'),
  // A site of somebody's charges it by itself: for what, nobody says here, and it opens nothing.
  'create-customer-payment.create-payment-201-7.pending--mollie-openapi.json': [
    payment('tr_DjH8FpPNj7', 'pending 2000 EUR recurring test of cst_tKt44u85MM'),
    whose('cst_tKt44u85MM'),
  ],
  'create-customer-payment.create-payment-201-8.open--mollie-openapi.json': open10('tr_HnJygmFKY2'),
  'create-customer-payment.create-payment-201-9.open--mollie-openapi.json': open10('tr_EZLbsLBhYb'),
  'create-refund.create-refund-201-2.pending--mollie-openapi.json': [
    refund('re_GKQYmNNAfL', 'pending 1000 EUR live payment:tr_aZm7dgj5zs'),
  ],
  'create-subscription.get-subscription-200-1.active--mollie-openapi.json': [
    quarterly('sub_rVKGtNd6s3'),
    whose('cst_stTC2WHAuS'),
  ],
  'customer--mollie-api-go-2.json': [customerA('cst_8wmqcHMN4U')],
  'customer--mollie-api-go.json': [customerA('cst_kEn1PlbGa')],
  'customer--mollie-api-php.json': ['customer {{ RESOURCE_ID }} test@mollie.com Jane Doe test'],
  'error--mollie-api-php.json': [],
  'error.401--mollie-api-go.json': [],
  'error.404--mollie-api-go.json': [],
  'error.500--mollie-api-go.json': [],
  'get-chargeback.get-chargeback-200-1--mollie-openapi.json': [
    'dispute chb_xFzwUN4ci8HAmSGUACS4J lost 4338 USD payment:tr_5B8cwPMGnU6qLbRvo7qEZo',
  ],
  'get-chargeback.get-chargeback-200-2--mollie-openapi.json': [
    'dispute chb_xFzwUN4ci8HAmSGUACS4J lost 1000 EUR payment:tr_8bVBhk2qs4',
  ],
  'get-mandate.get-mandate-200-1.valid--mollie-openapi.json': [],
  'get-payment.get-payment-200-3.paid--mollie-openapi.json': [
    payment('tr_oWpmDXm6sT', 'paid 1000 EUR one_time test'),
  ],
  'list-all-chargebacks.list-all-chargebacks-200-2--mollie-openapi.json': [
    'dispute chb_xFzwUN4ci8HAmSGUACS4J lost 1000 EUR payment:tr_HdQrGb6N3r',
    'dispute chb_xFzwUN4ci8HAmSGUACS41 lost 1000 EUR payment:tr_8bVBhk2qs4',
  ],
  'list-all-chargebacks.list-all-chargebacks-200-3--mollie-openapi.json': [
    'dispute chb_xFzwUN4ci8HAmSGUACS4J lost 1000 EUR payment:tr_HdQrGb6N3r',
    'dispute chb_xFzwUN4ci8HAmSGUACS41 lost 1000 EUR payment:tr_8bVBhk2qs4',
  ],
  'list-all-subscriptions.list-subscriptions-200-1--mollie-openapi.json': [
    quarterly('sub_rVKGtNd6s3'),
    whose('cst_stTC2WHAuS'),
  ],
  'list-subscription-payments.list-payments-200-2--mollie-openapi.json': [
    ...open10('tr_92M7kM99Rg'),
    ...open10('tr_TNFzqz7jzb'),
    payment('tr_h7uqbSUNbG', 'failed 1000 EUR one_time test'),
    payment('tr_FE9UrEs9zU', 'failed 1000 EUR one_time test'),
    payment('tr_dFWesfS4F7', 'failed 1000 EUR one_time test'),
    payment('tr_8N2vfqD9Q9', 'failed 1000 EUR one_time test'),
    payment('tr_nBs82Ujy7g', 'paid 1000 EUR one_time test'),
    payment('tr_6qh37hS3FF', 'paid 1000 EUR less 1000 one_time test'),
  ],
  'list.captures--mollie-api-go.json': [],
  'list.chargebacks--mollie-api-go.json': ['dispute chb_n9z0tp lost 4338 USD payment:tr_WDqYK6vllg'],
  'list.customers--mollie-api-go.json': [customerA('cst_kEn1PlbGa')],
  'list.mandates--mollie-api-go.json': [],
  'list.mandates--mollie-api-node.json': [],
  'list.payments--mollie-api-go-2.json': [
    payment('tr_5B8cwPMGnU6qLbRvo7qEZo', 'pending 7500 GBP unknown live'),
  ],
  'list.payments--mollie-api-go.json': [payment('tr_7UhSN1zuXS', 'pending 7500 GBP unknown test')],
  'list.payments--mollie-api-node-2.json': [payment('tr_admNa2tFfa', 'pending 10000 EUR one_time test')],
  'list.payments.of-subscription--mollie-api-node.json': [
    payment('tr_DtKxVP2AgW', 'pending 1000 EUR recurring test of cst_8wmqcHMN4U subscription:sub_8JfGzs6v3K'),
    'ask subscription:sub_8JfGzs6v3K below cst_8wmqcHMN4U',
    payment('tr_DtKxVP2AgD', 'paid 1000 EUR recurring test of cst_8wmqcHMN4U subscription:sub_8JfGzs6v3K'),
    'ask subscription:sub_8JfGzs6v3K below cst_8wmqcHMN4U',
  ],
  'list.refunds--mollie-api-go-2.json': [refund('re_4qqhO89gsT', 'pending 69800 EUR payment:tr_WDqYK6vllg')],
  'list.refunds--mollie-api-go-3.json': [refund('re_4qqhO89gsT', 'pending 595 EUR payment:tr_WDqYK6vllg')],
  'list.refunds--mollie-api-node-2.json': [refund('re_haCsig5aru', 'pending 200 EUR payment:tr_44aKxzEbr8')],
  'list.refunds--mollie-api-node-3.json': [refund('re_haCsig5aru', 'pending 200 EUR payment:tr_44aKxzEbr8')],
  'list.refunds--mollie-api-node-4.json': [
    refund('re_haCsig5aru', 'succeeded 200 EUR payment:tr_44aKxzEbr8'),
  ],
  'list.sales_invoices--mollie-api-go.json': [],
  'list.subscriptions--mollie-api-go.json': [
    // Its first charge was before it was made, by its own word.
    'subscription sub_rVKGtNd6s3 active 2500 EUR every 3 month live of cst_stTC2WHAuS 2016-06-01 2016-09-01',
    whose('cst_stTC2WHAuS'),
  ],
  'list.subscriptions--mollie-api-node.json': [ofMonth('active'), whose('cst_FhQJRw4s2n')],
  'mandate--mollie-api-php.json': [],
  'mandate-list--mollie-api-php.json': [],
  'mandate.valid--MollieApi-net.json': [],
  'mandate.valid--mollie-api-go-2.json': [],
  'mandate.valid--mollie-api-go.json': [],
  'payment--MollieApi-net-10.json': [payment('tr_WDqYK6vllg', 'pending 10000 EUR unknown')],
  'payment--MollieApi-net-2.json': unsaid100,
  'payment--MollieApi-net-3.json': unsaid100,
  'payment--MollieApi-net-5.json': unsaid100,
  'payment--MollieApi-net-6.json': unsaid100,
  'payment--MollieApi-net-7.json': unsaid100,
  'payment--MollieApi-net-9.json': unsaid100,
  'payment--MollieApi-net.json': unsaid100,
  'payment--mollie-api-php.json': [payment('{{ RESOURCE_ID }}', 'pending 2000 EUR one_time test')],
  // A page on which payments are made; they say the rest.
  'payment-link--mollie-api-go-2.json': [],
  'payment-link--mollie-api-go.json': [],
  'payment-link--mollie-api-php.json': [],
  'payment-list--mollie-api-php.json': [payment('tr_7UhSN1zuXS', 'pending 7500 GBP unknown live')],
  'payment.canceled--mollie-api-go.json': [payment('tr_WDqYK6vllg', 'failed 3507 EUR one_time live')],
  'payment.open--MollieApi-net-2.json': [payment('tr_WDqYK6vllg', 'pending 10000 EUR one_time test')],
  'payment.open--mollie-api-go-2.json': open10('tr_7UhSN1zuXS'),
  'payment.open--mollie-api-go.json': open10('tr_WDqYK6vllg'),
  'payment.open--mollie-api-node.json': [
    payment('tr_44aKxzEbr8', 'pending 2000 EUR one_time test of cst_FhQJRw4s2n'),
    whose('cst_FhQJRw4s2n'),
  ],
  'payment.pending.with-subscriptionId--mollie-api-node.json': [
    payment('tr_DtKxVP2AgW', 'pending 1000 EUR recurring test of cst_8wmqcHMN4U subscription:sub_8JfGzs6v3K'),
    'ask subscription:sub_8JfGzs6v3K below cst_8wmqcHMN4U',
  ],
  'refund--mollie-api-php.json': [refund('{{ RESOURCE_ID }}', 'pending 595 EUR live payment:tr_7UhSN1zuXS')],
  'refund-list--mollie-api-php.json': [refund('re_4qqhO89gsT', 'pending 595 EUR live payment:tr_7UhSN1zuXS')],
  'refund.pending--MollieApi-net.json': [refund('re_4qqhO89gsT', 'pending 69800 EUR payment:tr_WDqYK6vllg')],
  'refund.pending--mollie-api-go-2.json': [refund('re_4qqhO89gsT', 'pending 595 EUR payment:tr_WDqYK6vllg')],
  'sales-invoice--mollie-api-php.json': [],
  'sales-invoice.draft--mollie-api-go-2.json': [],
  'session--mollie-api-php.json': [],
  'subscription--mollie-api-php.json': [quarterly('{{ RESOURCE_ID }}'), whose('cst_stTC2WHAuS')],
  'subscription-list--mollie-api-php.json': [quarterly('sub_rVKGtNd6s3'), whose('cst_stTC2WHAuS')],
  'subscription.active--MollieApi-net.json': [
    'subscription subscription-id active 2500 EUR every 3 month live 2016-06-01 2016-09-01',
  ],
  'subscription.active--mollie-api-go.json': [
    'subscription sub_rVKGtNd6s3 active 2500 EUR every 3 month live of cst_stTC2WHAuS 2016-06-01 2016-09-01',
    whose('cst_stTC2WHAuS'),
  ],
  'subscription.active--mollie-api-node-model.json': [ofMonth('active'), whose('cst_FhQJRw4s2n')],
  // No charge is known: it was paid until the day on which it began.
  'subscription.canceled--mollie-api-go.json': [
    'subscription sub_rVKGtNd6s3 canceled 2500 EUR every 3 month live of cst_stTC2WHAuS 2016-03-01 2016-06-01',
    whose('cst_stTC2WHAuS'),
  ],
  'subscription.canceled--mollie-api-node-model.json': [
    `${ofMonth('canceled')} 2018-03-24 2018-04-24`,
    whose('cst_FhQJRw4s2n'),
  ],
  'subscription.completed--mollie-api-node-model.json': [
    `${ofMonth('expired')} 2018-03-24 2018-04-24`,
    whose('cst_FhQJRw4s2n'),
  ],
  'subscription.pending--mollie-api-node-model.json': [ofMonth('incomplete'), whose('cst_FhQJRw4s2n')],
  'subscription.suspended--mollie-api-node-model.json': [
    `${ofMonth('unpaid')} 2018-03-24 2018-04-24`,
    whose('cst_FhQJRw4s2n'),
  ],
  'unprocessable-entity--mollie-api-php.json': [],
  'update-payment.update-payment-200-2.open--mollie-openapi.json': open10('tr_FE9UrEs9zU'),
  'update-payment.update-payment-200-3.open--mollie-openapi.json': open10('tr_FE9UrEs9zU'),
  'update-subscription.update-subscription-200-1.active--mollie-openapi.json': [
    quarterly('sub_rVKGtNd6s3', 1000),
    whose('cst_stTC2WHAuS'),
  ],
  'webhook--mollie-api-php.json': [],
  'webhook-test--mollie-api-php.json': [],
  'webhook.enabled--mollie-api-go-2.json': [],
  'webhook.enabled--mollie-api-go.json': [],
}

/** What each public delivery names. */
export const named: Readonly<Record<string, readonly string[]>> = {
  'classic-webhook-body--form.txt': ['ask payment:tr_unique_payment_id'],
  'get-webhook-event.get-webhook-event-200--mollie-openapi.json': ['ask checkout:pl_qng5gbbv8NAZ5gpM5ZYgx'],
  // Of what these are, an id without a prefix says nothing.
  'next-gen-event.blueprint--mollie-api-php.json': [],
  'next-gen.payment-link.paid.simple--mollie-api-php.json': [],
  'next-gen.payment-link.paid.snapshot--mollie-api-php.json': [],
  'next-gen.sales-invoice.paid.snapshot--mollie-api-php.json': [],
  'webhook-event--mollie-api-php.json': ['ask checkout:pl_4Y0eZitmBnQ5jsBYZIBw'],
}
