/**
 * The nine providers as they are compared with their official packages: where each package keeps what, the
 * words and events that our readers know, and a reason for each difference that is right.
 */
import * as chargebeeChanges from '../../src/providers/chargebee/changes.ts'
import { needed as chargebeeNeeds } from '../../src/providers/chargebee/endpoints.ts'
import * as chargebeeMoney from '../../src/providers/chargebee/money.ts'
import { statuses as chargebeeStatuses } from '../../src/providers/chargebee/subscription.ts'
import * as creemChanges from '../../src/providers/creem/changes.ts'
import { needed as creemNeeds } from '../../src/providers/creem/endpoints.ts'
import { periods as creemPeriods } from '../../src/providers/creem/facts.ts'
import * as creemMoney from '../../src/providers/creem/money.ts'
import { statuses as creemStatuses } from '../../src/providers/creem/subscription.ts'
import * as dodoChanges from '../../src/providers/dodo/changes.ts'
import { needed as dodoNeeds } from '../../src/providers/dodo/endpoints.ts'
import {
  intervals as dodoIntervals,
  statuses as dodoStatuses,
} from '../../src/providers/dodo/subscription.ts'
import * as squeezyChanges from '../../src/providers/lemonsqueezy/changes.ts'
import { needed as squeezyNeeds } from '../../src/providers/lemonsqueezy/endpoints.ts'
import { states as squeezyStates } from '../../src/providers/lemonsqueezy/money.ts'
import { statuses as squeezyStatuses } from '../../src/providers/lemonsqueezy/subscription.ts'
import { statuses as mollieStatuses } from '../../src/providers/mollie/subscription.ts'
import { handles as handledByPaddle } from '../../src/providers/paddle/changes.ts'
import { needed as paddleNeeds } from '../../src/providers/paddle/endpoints.ts'
import { statuses as paddleStatuses } from '../../src/providers/paddle/subscription.ts'
import * as paypalMoney from '../../src/providers/paypal/money.ts'
import { pageStatuses as paypalPages } from '../../src/providers/paypal/orders.ts'
import * as polarChanges from '../../src/providers/polar/changes.ts'
import { needed as polarNeeds } from '../../src/providers/polar/endpoints.ts'
import * as polarMoney from '../../src/providers/polar/money.ts'
import { statuses as polarStatuses } from '../../src/providers/polar/subscription.ts'
import { handles as handledByStripe } from '../../src/providers/stripe/changes.ts'
import { needed as stripeNeeds } from '../../src/providers/stripe/endpoints.ts'
import { statuses as stripeStatuses } from '../../src/providers/stripe/subscription.ts'
import type { Subject } from './compare.ts'

/** The words of a table, which may name them for any value. */
function wordsOf(table: ReadonlyMap<unknown, unknown>): string[] {
  return [...table.keys()].map(String)
}

function keysOf(...tables: readonly ReadonlyMap<string, unknown>[]): string[] {
  return tables.flatMap((table) => [...table.keys()])
}

/** The objects of a list, or the one that is there; inside this field, where one is named. */
function listed(body: unknown, field?: string): readonly unknown[] {
  const inner = field === undefined ? body : objectAt(body)[field]
  return Array.isArray(inner) ? inner : [inner]
}

function objectAt(body: unknown, field?: string): Readonly<Record<string, unknown>> {
  const found = (field === undefined ? body : (body as Record<string, unknown>)[field]) ?? {}
  return found as Record<string, unknown>
}

const pagesOfChargebee = ['checkout_new_for_items', 'checkout_one_time_for_items', 'collect_now']

const waits = 'It waits, as every word does that is none of the others.'
const ofSales = 'A word of sales and orders, which are read by the same table.'
const ofEvents =
  'Webhooks are no part of the package; https://developer.paypal.com/docs/api/webhooks/v1/ has them.'
const ofDisputes =
  'Disputes are no part of the package; https://developer.paypal.com/docs/api/customer-disputes/v1/ has them.'
const ofOldApi =
  'Payments of subscriptions are sales of the older API, which the package does not have: https://developer.paypal.com/docs/api/payments/v1/'
const ofLinks =
  'The list that a customer’s `relationships` link to, as JSON:API has it; the package follows no links.'
const ofAgreements =
  'Old subscriptions are agreements of the older API: https://developer.paypal.com/docs/api/payments.billing-agreements/v1/'

const olderThanDocs = {
  partial_refund: 'In the documentation alone: https://docs.lemonsqueezy.com/api/orders/the-order-object',
  fraudulent: 'In the documentation alone: https://docs.lemonsqueezy.com/api/orders/the-order-object',
}

const checkoutData = 'Examples of https://docs.lemonsqueezy.com/api/checkouts/the-checkout-object show it so.'
const shownBySqueezy = {
  ...Object.fromEntries(
    ['GET /v1/checkouts/{}', 'POST /v1/checkouts'].flatMap((name) => [
      [`${name}: data.attributes.checkout_data.billing_address is a list`, checkoutData],
      [`${name}: data.attributes.checkout_data.variant_quantities[] is an object`, checkoutData],
    ]),
  ),
  'GET /v1/orders: data[].attributes.status is "partial_refund"': olderThanDocs.partial_refund,
  'GET /v1/orders/{}: data.attributes.status is "partial_refund"': olderThanDocs.partial_refund,
  'POST /v1/orders/{}/refund: data.attributes.status is "partial_refund"': olderThanDocs.partial_refund,
  'GET /v1/subscription-invoices: data[].attributes.billing_reason is "updated"':
    'The package names "renewal" twice; https://docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object',
}

const intervals = ['day', 'week', 'month', 'year']

/** Every provider with an official package, by its key. */
export const subjects: Readonly<Record<string, Subject>> = {
  stripe: {
    sdk: {
      package: 'stripe',
      imports: "import type { Stripe } from 'stripe'",
      calls: ['esm/resources/**/*.js'],
      declarations: ['esm/resources/**/*.d.ts'],
    },
    // Customers of a test's own server show less; of a deleted one the id is all that is left.
    isOfFake: (body) => {
      const { object, deleted, delinquent } = objectAt(body)
      return object !== 'customer' || deleted === true || delinquent !== undefined
    },
    beyond: {},
    words: [
      { of: 'status of a subscription', type: 'Stripe.Subscription.Status', known: wordsOf(stripeStatuses) },
      { of: 'status of a charge', type: 'Stripe.Charge.Status', known: ['succeeded', 'failed', 'pending'] },
      {
        of: 'status of a payment',
        type: 'Stripe.PaymentIntent.Status',
        known: ['succeeded', 'canceled', 'requires_payment_method'],
        left: {
          processing: waits,
          requires_action: waits,
          requires_capture: waits,
          requires_confirmation: waits,
        },
      },
      {
        of: 'status of an invoice',
        type: 'Stripe.Invoice.Status',
        known: ['draft', 'open', 'paid', 'void', 'uncollectible'],
      },
      {
        of: 'status of an invoice payment',
        type: 'Stripe.InvoicePaymentListParams.Status',
        known: ['paid', 'canceled'],
        left: { open: waits },
      },
      {
        of: 'status of a dispute',
        type: 'Stripe.Dispute.Status',
        known: ['won', 'warning_closed', 'lost', 'warning_needs_response', 'warning_under_review'],
        left: {
          appeal_needs_response: 'The money is gone until it is decided.',
          appeal_under_review: 'The money is gone until it is decided.',
          needs_response: 'The money is gone until it is decided.',
          prevented: 'The money is gone until it is decided.',
          under_review: 'The money is gone until it is decided.',
        },
      },
      {
        of: 'status of a checkout',
        type: 'Stripe.Checkout.Session.Status',
        known: ['open', 'complete', 'expired'],
      },
      { of: 'interval of a price', type: 'Stripe.Price.Recurring.Interval', known: intervals },
    ],
    events: {
      type: 'Stripe.WebhookEndpointCreateParams.EnabledEvent',
      handles: handledByStripe,
      known: stripeNeeds,
      ignored: {
        'A name for all of them, and no event.': '*',
        'A preview of an invoice that does not exist yet.': 'invoice.upcoming',
        'A line that waits for an invoice; the invoice tells of it.':
          'invoiceitem.created invoiceitem.deleted',
        'Of accounts that sell through a platform, of its apps and its money; a site sells for itself.': `account.application.authorized account.application.deauthorized
           account.external_account.created account.external_account.deleted
           account.external_account.updated account.updated application_fee.created
           application_fee.refund.updated application_fee.refunded apps.install.created
           apps.install.deleted apps.install.updated balance.available balance_settings.updated
           capability.updated file.created payout.canceled payout.created payout.failed payout.paid
           payout.reconciliation_completed payout.updated person.created person.deleted person.updated
           reporting.report_run.failed reporting.report_run.succeeded reporting.report_type.updated
           reserve.hold.created reserve.hold.updated reserve.plan.created reserve.plan.disabled
           reserve.plan.expired reserve.plan.updated reserve.release.created
           sigma.scheduled_query_run.created tax.settings.updated topup.canceled topup.created
           topup.failed topup.reversed topup.succeeded transfer.created transfer.reversed transfer.updated`,
        'Cards, bank accounts and terminals that a seller issues or runs.': `cash_balance.funds_available climate.order.canceled climate.order.created climate.order.delayed
           climate.order.delivered climate.order.product_substituted climate.product.created
           climate.product.pricing_updated customer_cash_balance_transaction.created
           financial_connections.account.account_numbers_updated financial_connections.account.created
           financial_connections.account.deactivated financial_connections.account.disconnected
           financial_connections.account.expected_deactivation_date_updated
           financial_connections.account.reactivated financial_connections.account.refreshed_balance
           financial_connections.account.refreshed_ownership
           financial_connections.account.refreshed_transactions
           financial_connections.account.supported_payment_method_types_updated
           financial_connections.account.upcoming_account_number_expiry
           financial_connections.account.upcoming_deactivation
           financial_connections.authorization.expected_deactivation_date_updated
           financial_connections.authorization.upcoming_deactivation
           identity.verification_session.canceled identity.verification_session.created
           identity.verification_session.processing identity.verification_session.redacted
           identity.verification_session.requires_input identity.verification_session.verified
           issuing_authorization.created issuing_authorization.request issuing_authorization.updated
           issuing_card.created issuing_card.updated issuing_cardholder.created issuing_cardholder.updated
           issuing_dispute.closed issuing_dispute.created issuing_dispute.funds_reinstated
           issuing_dispute.funds_rescinded issuing_dispute.submitted issuing_dispute.updated
           issuing_personalization_design.activated issuing_personalization_design.deactivated
           issuing_personalization_design.rejected issuing_personalization_design.updated
           issuing_token.created issuing_token.updated issuing_transaction.created
           issuing_transaction.purchase_details_receipt_updated issuing_transaction.updated
           terminal.reader.action_failed terminal.reader.action_succeeded terminal.reader.action_updated
           three_d_secure.authentication.canceled three_d_secure.authentication.challenge_started
           three_d_secure.authentication.errored three_d_secure.authentication.failed
           three_d_secure.authentication.requires_challenge
           three_d_secure.authentication.requires_submission three_d_secure.authentication.succeeded
           treasury.credit_reversal.created treasury.credit_reversal.posted
           treasury.debit_reversal.completed treasury.debit_reversal.created
           treasury.debit_reversal.initial_credit_granted treasury.financial_account.closed
           treasury.financial_account.created treasury.financial_account.features_status_updated
           treasury.inbound_transfer.canceled treasury.inbound_transfer.created
           treasury.inbound_transfer.failed treasury.inbound_transfer.succeeded
           treasury.outbound_payment.canceled treasury.outbound_payment.created
           treasury.outbound_payment.expected_arrival_date_updated treasury.outbound_payment.failed
           treasury.outbound_payment.posted treasury.outbound_payment.returned
           treasury.outbound_payment.tracking_details_updated treasury.outbound_transfer.canceled
           treasury.outbound_transfer.created treasury.outbound_transfer.expected_arrival_date_updated
           treasury.outbound_transfer.failed treasury.outbound_transfer.posted
           treasury.outbound_transfer.returned treasury.outbound_transfer.tracking_details_updated
           treasury.received_credit.created treasury.received_credit.failed
           treasury.received_credit.succeeded treasury.received_debit.created`,
        'Usage, credits and alerts are not sold here; entitlements are gates of the site.': `billing.alert.triggered billing.credit_balance_transaction.created billing.credit_grant.created
           billing.credit_grant.updated billing.meter.created billing.meter.deactivated
           billing.meter.reactivated billing.meter.updated entitlements.active_entitlement_summary.updated`,
        'The portal tells of what was done in it by the subscription’s own events.': `billing_portal.configuration.created billing_portal.configuration.updated
           billing_portal.session.created`,
        'A way to pay is kept and shown by the provider; what it pays tells of itself.': `customer.source.created customer.source.deleted customer.source.expiring
           customer.source.updated customer.tax_id.created customer.tax_id.deleted customer.tax_id.updated
           mandate.updated payment_method.attached payment_method.automatically_updated
           payment_method.detached payment_method.updated setup_intent.canceled setup_intent.created
           setup_intent.requires_action setup_intent.setup_failed setup_intent.succeeded source.canceled
           source.chargeable source.failed source.mandate_notification source.refund_attributes_required
           source.transaction.created source.transaction.updated`,
        'What is sold is read as a list, and not by messages.': `coupon.created coupon.deleted coupon.updated customer.discount.created
           customer.discount.deleted customer.discount.updated payment_link.created payment_link.updated
           plan.created plan.deleted plan.updated price.created price.deleted price.updated
           product.created product.deleted product.updated promotion_code.created promotion_code.updated
           tax_rate.created tax_rate.updated`,
        'Credit notes lower what an invoice asks for; money that goes back is a refund.':
          'credit_note.created credit_note.updated credit_note.voided',
        'An offer that nobody has accepted; what follows is a subscription or an invoice.':
          'quote.accepted quote.canceled quote.created quote.finalized',
        'A suspicion moves no money; the refund or the dispute that follows does.':
          'radar.early_fraud_warning.created radar.early_fraud_warning.updated review.closed review.opened',
        'Time of a test.': `test_helpers.test_clock.advancing test_helpers.test_clock.created
           test_helpers.test_clock.deleted test_helpers.test_clock.internal_failure
           test_helpers.test_clock.ready`,
      },
    },
  },
  paddle: {
    sdk: {
      package: '@paddle/paddle-node-sdk',
      imports: "import type * as sdk from '@paddle/paddle-node-sdk'",
      calls: ['dist/esm/resources/**/*.js'],
      declarations: ['dist/types/resources/**/*.d.ts'],
    },
    isCamelCase: true,
    // Its classes are made of what stands in `data`.
    isMadeOfAnswer: true,
    // "boolean or null": https://developer.paddle.com/api-reference/adjustments
    mayBeNull: /(?:^|\.)credit_applied_to_balance$/,
    shown: {
      'GET /events: notification_id is not there':
        'A list of events names no notification: https://developer.paddle.com/api-reference/events/list-events',
    },
    readsAsItCame: true,
    objectsIn: (body) => listed(body, 'data'),
    beyond: {},
    words: [
      { of: 'status of a subscription', type: 'sdk.SubscriptionStatus', known: wordsOf(paddleStatuses) },
      {
        of: 'status of a transaction',
        type: 'sdk.TransactionStatus',
        known: ['paid', 'completed', 'past_due', 'canceled', 'draft'],
        left: { ready: waits, billed: waits },
      },
      {
        of: 'origin of a transaction',
        type: 'sdk.TransactionOrigin',
        known: ['subscription_charge', 'subscription_payment_method_change'],
        left: {
          api: 'A payment like any other; its items say what for.',
          web: 'A payment like any other; its items say what for.',
          subscription_recurring: 'A charge of its subscription, which it names.',
          subscription_update: 'A charge of its subscription, which it names.',
        },
      },
      {
        of: 'action of an adjustment',
        type: 'sdk.AdjustmentAction',
        known: [
          'refund',
          'chargeback',
          'chargeback_reverse',
          'chargeback_warning',
          'chargeback_warning_reverse',
        ],
        left: { credit: 'A credit moves no money.', credit_reverse: 'A credit moves no money.' },
      },
      {
        of: 'status of an adjustment',
        type: 'sdk.AdjustmentStatus',
        known: ['approved', 'rejected', 'reversed'],
        left: { pending_approval: waits },
      },
      {
        of: 'action of a scheduled change',
        type: 'sdk.ScheduledChangeAction',
        known: ['cancel', 'pause', 'resume'],
      },
      { of: 'interval of a price', type: 'sdk.Interval', known: intervals },
    ],
    events: {
      type: 'sdk.IEventName',
      handles: handledByPaddle,
      known: paddleNeeds,
      ignored: {
        'Addresses and businesses are the buyer’s papers, which the provider keeps.': `address.created address.updated address.imported business.created business.updated
           business.imported`,
        'What is sold is read as a list, and not by messages.': `discount.created discount.updated discount.imported price.created price.updated price.imported
           product.created product.updated product.imported discount_group.created discount_group.updated`,
        'The seller’s own money, keys and reports.': `payout.created payout.paid report.created report.updated api_key.created api_key.updated
           api_key.expiring api_key.expired api_key.revoked api_key_exposure.created client_token.created
           client_token.updated client_token.revoked`,
        'A way to pay is kept and shown by the provider; what it pays tells of itself.':
          'payment_method.saved payment_method.deleted',
      },
    },
  },
  mollie: {
    sdk: {
      package: '@mollie/api-client',
      imports: "import type * as sdk from '@mollie/api-client'",
      calls: ['dist/mollie.esm.js'],
      declarations: ['dist/types/binders/**/*.d.ts'],
      client: /networkClient$/,
    },
    base: '/v2',
    // Its pages are lists of what is embedded.
    objectsIn: (body) =>
      listed('id' in objectAt(body) ? body : (Object.values(objectAt(body, '_embedded'))[0] ?? body)),
    isOfFake: (body) => '_links' in objectAt(body),
    // https://docs.mollie.com/reference/get-payment and the pages of the other objects.
    mayBeNull:
      /(?:^|\.)(?:nextPaymentDate|times|timesRemaining|webhookUrl|redirectUrl|method|locale|name|reason|reversedAt|mandateReference)$/,
    beyond: {
      'GET /webhooks':
        'Newer webhooks are no part of the package: https://docs.mollie.com/reference/list-webhooks',
      'GET /payment-links/{}/payments':
        'The package reads payment links without their payments: https://docs.mollie.com/reference/get-payment-link-payments',
    },
    words: [
      {
        of: 'status of a subscription',
        type: 'sdk.SubscriptionStatus',
        known: ['active', 'pending', ...wordsOf(mollieStatuses)],
      },
      {
        of: 'status of a payment',
        type: 'sdk.PaymentStatus',
        known: ['paid', 'failed', 'canceled', 'expired', 'open'],
        left: { pending: waits, authorized: waits },
      },
      {
        of: 'status of a refund',
        type: 'sdk.RefundStatus',
        known: ['refunded', 'failed', 'canceled'],
        left: { queued: waits, pending: waits, processing: waits },
      },
      { of: 'sequence of a payment', type: 'sdk.SequenceType', known: ['first', 'recurring', 'oneoff'] },
    ],
    events: null,
  },
  polar: {
    sdk: {
      package: '@polar-sh/sdk',
      // The version that the adapter asks for in its header `polar-version`.
      imports: "import type { models } from '@polar-sh/sdk/2026-04'",
      calls: ['dist/2026-04/services/**/*.mjs'],
      declarations: ['dist/2026-04/services/**/*.d.mts'],
    },
    root: '/v1',
    beyond: {},
    words: [
      { of: 'status of a subscription', type: 'models.SubscriptionStatus', known: wordsOf(polarStatuses) },
      {
        of: 'status of an order',
        type: 'models.OrderStatus',
        known: ['paid', 'refunded', 'partially_refunded', 'void', 'draft'],
        left: { pending: waits },
      },
      {
        of: 'reason of an order',
        type: 'models.OrderBillingReason',
        known: ['purchase'],
        left: {
          subscription_create: 'Everything that begins so is of a subscription.',
          subscription_cycle: 'Everything that begins so is of a subscription.',
          subscription_update: 'Everything that begins so is of a subscription.',
          subscription_meter_cycle: 'Everything that begins so is of a subscription.',
        },
      },
      {
        of: 'status of a checkout',
        type: 'models.CheckoutStatus',
        known: wordsOf(polarMoney.checkoutStatuses),
      },
      { of: 'status of a refund', type: 'models.RefundStatus', known: wordsOf(polarMoney.refundStates) },
      { of: 'interval of a subscription', type: 'models.RecurringInterval', known: intervals },
    ],
    events: {
      type: 'models.WebhookEventType',
      handles: (type) => polarChanges.kinds.has(type),
      known: [...keysOf(polarChanges.kinds), ...polarNeeds],
      ignored: {
        'Seats are given to people by the site’s own groups.': `customer_seat.assigned customer_seat.claimed customer_seat.revoked member.created
           member.updated member.deleted`,
        'What is sold is read as a list, and not by messages.':
          'product.created product.updated discount.created discount.updated discount.deleted',
        'What a plan opens, the site’s gates say.': `benefit.created benefit.updated benefit_grant.created benefit_grant.cycled
           benefit_grant.updated benefit_grant.revoked`,
        'The seller’s own account.': 'organization.updated',
      },
    },
  },
  chargebee: {
    sdk: {
      package: 'chargebee',
      imports: "import type * as sdk from 'chargebee'",
      calls: ['esm/resources/api_endpoints.js'],
      declarations: ['types/resources/*.d.ts'],
    },
    base: '/api/v2',
    // What an event or a page is about stands alone in it.
    partial: /(?:^|\.)content$/,
    shown: Object.fromEntries(
      ['GET /hosted_pages/{}', ...pagesOfChargebee.map((name) => `POST /hosted_pages/${name}`)].map(
        (name) => [
          `${name}: hosted_page.content is not there`,
          'A page shows it when it is done: https://apidocs.chargebee.com/docs/api/hosted_pages',
        ],
      ),
    ),
    beyond: {},
    words: [
      {
        of: 'status of a subscription',
        type: "sdk.Subscription['status']",
        known: wordsOf(chargebeeStatuses),
      },
      {
        of: 'status of an invoice',
        type: "sdk.Invoice['status']",
        known: ['pending', ...wordsOf(chargebeeMoney.states)],
      },
      {
        of: 'status of a transaction',
        type: "NonNullable<sdk.Transaction['status']>",
        known: wordsOf(chargebeeMoney.refundStates),
        left: { in_progress: waits, needs_attention: waits },
      },
      {
        of: 'type of a transaction',
        type: "sdk.Transaction['type']",
        known: ['payment', 'refund', 'payment_reversal'],
        left: { authorization: 'Money that is kept apart and was not taken.' },
      },
      {
        of: 'interval of a subscription',
        type: "NonNullable<sdk.Subscription['billing_period_unit']>",
        known: intervals,
      },
    ],
    events: {
      type: 'sdk.EventTypeEnum',
      handles: (type) => chargebeeChanges.known.has(type),
      known: [...chargebeeChanges.known, ...chargebeeNeeds],
      ignored: {
        'What is sold is read as a list, and not by messages.': `coupon_created coupon_updated coupon_deleted coupon_set_created coupon_set_updated
           coupon_set_deleted coupon_codes_added coupon_codes_deleted coupon_codes_updated
           item_family_created item_family_updated item_family_deleted item_created item_updated
           item_deleted item_price_created item_price_updated item_price_deleted attached_item_created
           attached_item_updated attached_item_deleted differential_price_created
           differential_price_updated differential_price_deleted price_variant_created
           price_variant_updated price_variant_deleted plan_created plan_updated plan_deleted
           addon_created addon_updated addon_deleted`,
        'What a plan opens, the site’s gates say.': `feature_created feature_updated feature_deleted feature_activated feature_reactivated
           feature_archived item_entitlements_updated entitlement_overrides_updated
           entitlement_overrides_removed item_entitlements_removed entitlement_overrides_auto_removed
           subscription_entitlements_created subscription_entitlements_updated
           item_price_entitlements_updated item_price_entitlements_removed customer_entitlements_updated`,
        'A reminder or an estimate; nothing has changed.': `subscription_trial_end_reminder mrr_updated subscription_cancellation_reminder
           subscription_renewal_reminder add_usages_reminder payment_due_reminder card_expiry_reminder
           alert_status_changed`,
        'An invoice that asks for nothing yet.': `subscription_advance_invoice_schedule_added subscription_advance_invoice_schedule_updated
           subscription_advance_invoice_schedule_removed pending_invoice_created pending_invoice_updated
           payment_schedules_created payment_schedules_updated payment_schedule_scheme_created
           payment_schedule_scheme_deleted unbilled_charges_created unbilled_charges_voided
           unbilled_charges_deleted unbilled_charges_invoiced`,
        'Credits lower what an invoice asks for; money that goes back is a transaction.': `promotional_credits_added promotional_credits_deducted credit_note_created
           credit_note_created_with_backdating credit_note_updated credit_note_deleted
           tax_withheld_recorded tax_withheld_deleted tax_withheld_refunded`,
        'The transaction or the invoice says the same, when money has moved.': `dunning_updated payment_initiated authorization_succeeded authorization_voided
           payment_intent_created payment_intent_updated purchase_created voucher_created voucher_expired
           voucher_create_failed record_purchase_failed`,
        'A way to pay is kept and shown by the provider; what it pays tells of itself.': `card_added card_updated card_expired card_deleted payment_source_added payment_source_updated
           payment_source_deleted payment_source_expiring payment_source_expired
           payment_source_locally_deleted virtual_bank_account_added virtual_bank_account_updated
           virtual_bank_account_deleted token_created token_consumed token_expired
           payment_source_business_entity_changed vault_token_created vault_token_updated
           vault_token_deleted`,
        'Goods that are sent, gifts and quotes; what they sell is a subscription or an invoice.': `order_created order_updated order_cancelled order_delivered order_returned
           order_ready_to_process order_ready_to_ship order_deleted order_resent quote_created
           quote_updated quote_deleted gift_scheduled gift_unclaimed gift_claimed gift_expired
           gift_cancelled gift_updated sales_order_created sales_order_updated`,
        'Contracts, ramps and addresses of delivery change no access; a ramp that is applied does.': `subscription_shipping_address_updated contract_term_created contract_term_renewed
           contract_term_terminated contract_term_completed contract_term_cancelled
           subscription_ramp_created subscription_ramp_deleted subscription_ramp_drafted
           subscription_ramp_updated`,
        'Where a company keeps its customers; `subscription_moved_in` and `subscription_moved_out` change whose a subscription is.': `customer_moved_out customer_moved_in hierarchy_created hierarchy_deleted
           business_entity_created business_entity_updated business_entity_deleted
           customer_business_entity_changed subscription_movement_failed`,
        'Sold in app stores, through which no plan is sold here.': `omnichannel_subscription_created omnichannel_subscription_item_renewed
           omnichannel_subscription_item_downgraded omnichannel_subscription_item_expired
           omnichannel_subscription_item_cancellation_scheduled
           omnichannel_subscription_item_scheduled_cancellation_removed
           omnichannel_subscription_item_resubscribed omnichannel_subscription_item_upgraded
           omnichannel_subscription_item_cancelled omnichannel_subscription_imported
           omnichannel_subscription_item_grace_period_started
           omnichannel_subscription_item_grace_period_expired
           omnichannel_subscription_item_dunning_started omnichannel_subscription_item_dunning_expired
           omnichannel_subscription_item_change_scheduled
           omnichannel_subscription_item_scheduled_change_removed
           omnichannel_subscription_item_reactivated omnichannel_subscription_item_changed
           omnichannel_subscription_item_paused omnichannel_subscription_item_resumed
           omnichannel_one_time_order_created omnichannel_one_time_order_item_cancelled
           omnichannel_subscription_item_pause_scheduled omnichannel_subscription_moved_in
           omnichannel_transaction_created omnichannel_subscription_item_updated
           omnichannel_subscription_item_recovered omnichannel_subscription_item_mrr_updated`,
        'Usage and its accounts are not sold here.': `usage_file_ingested ledger_account_balance_updated grant_blocks_created grant_blocks_updated
           ledger_updated`,
        'The seller’s own rules.': 'rule_created rule_updated rule_deleted',
      },
    },
  },
  dodo: {
    sdk: {
      package: 'dodopayments',
      imports: "import type { DodoPayments as Dodo } from 'dodopayments'",
      calls: ['resources/**/*.mjs'],
      declarations: ['resources/**/*.d.mts'],
    },
    beyond: {},
    words: [
      { of: 'status of a subscription', type: 'Dodo.SubscriptionStatus', known: wordsOf(dodoStatuses) },
      {
        of: 'status of a payment',
        type: 'Dodo.IntentStatus',
        known: ['succeeded', 'failed', 'cancelled'],
        left: {
          processing: waits,
          requires_customer_action: waits,
          requires_merchant_action: waits,
          requires_payment_method: waits,
          requires_confirmation: waits,
          requires_capture: waits,
          partially_captured: 'What is captured in part is not paid.',
          partially_captured_and_capturable: 'What is captured in part is not paid.',
        },
      },
      {
        of: 'status of a refund',
        type: 'Dodo.RefundStatus',
        known: ['succeeded', 'failed', 'review'],
        left: { pending: waits },
      },
      {
        of: 'status of a dispute',
        type: 'Dodo.DisputeStatus',
        known: ['dispute_won', 'dispute_cancelled', 'dispute_lost', 'dispute_accepted', 'dispute_expired'],
        left: {
          dispute_opened: 'The money is gone until it is decided.',
          dispute_challenged: 'The money is gone until it is decided.',
        },
      },
      {
        of: 'stage of a dispute',
        type: 'Dodo.DisputeStage',
        known: ['pre_dispute'],
        left: {
          dispute: 'The money is gone until it is decided.',
          pre_arbitration: 'The money is gone until it is decided.',
        },
      },
      { of: 'interval of a price', type: 'Dodo.TimeInterval', known: wordsOf(dodoIntervals) },
    ],
    events: {
      type: 'Dodo.WebhookEventType',
      handles: (type) => dodoChanges.kinds.has(type),
      known: [...keysOf(dodoChanges.kinds), ...dodoNeeds],
      ignored: {
        'Keys, credits and entitlements are not sold here; what a plan opens, the site’s gates say.': `license_key.created credit.added credit.deducted credit.expired credit.rolled_over
           credit.rollover_forfeited credit.overage_charged credit.overage_reset credit.manual_adjustment
           credit.balance_low entitlement_grant.created entitlement_grant.delivered
           entitlement_grant.failed entitlement_grant.revoked`,
        'The seller’s own money.':
          'payout.created payout.on_hold payout.in_progress payout.failed payout.success',
        'A reminder to somebody who did not buy; nothing was sold.':
          'abandoned_checkout.detected abandoned_checkout.recovered',
        'The subscription says the same as `on_hold` and `active`.': 'dunning.started dunning.recovered',
      },
    },
  },
  creem: {
    sdk: {
      package: 'creem',
      imports: "import type * as sdk from 'creem/models/components'",
      calls: ['src/funcs/*.ts'],
    },
    isCamelCase: true,
    givenAs: 'value',
    beyond: {},
    words: [
      { of: 'status of a subscription', type: 'sdk.SubscriptionStatus', known: wordsOf(creemStatuses) },
      { of: 'status of an order', type: 'sdk.OrderStatus', known: ['paid', 'pending'] },
      { of: 'type of an order', type: 'sdk.OrderType', known: ['onetime', 'recurring'] },
      {
        of: 'status of a transaction',
        type: 'sdk.TransactionStatus',
        known: [...creemMoney.collected, ...creemMoney.failed],
        left: { pending: waits },
        beyond: { chargeback: 'An older word for `chargedBack`, which old messages have.' },
      },
      {
        of: 'type of a transaction',
        type: 'sdk.TransactionType',
        known: ['invoice'],
        left: { payment: 'A payment, where it names no subscription.' },
      },
      {
        of: 'status of a refund',
        type: 'sdk.RefundStatus',
        known: wordsOf(creemMoney.refundStates),
        left: { pending: waits, requiresAction: waits },
      },
      {
        of: 'billing period of a product',
        type: 'sdk.ProductBillingPeriod',
        known: wordsOf(creemPeriods),
        left: { once: 'It is sold once, and has no period.', custom: 'Its unit and count stand beside it.' },
      },
    ],
    events: {
      type: 'sdk.WebhookEventType',
      handles: (type) => creemChanges.kinds.has(type),
      known: [...keysOf(creemChanges.kinds), ...creemNeeds],
      ignored: {
        'Credits are not sold here.':
          'customer_credits.exhausted credits.granted credits.consumed credits.auto_recharged',
      },
    },
  },
  lemonsqueezy: {
    sdk: {
      package: '@lemonsqueezy/lemonsqueezy.js',
      imports: "import type * as sdk from '@lemonsqueezy/lemonsqueezy.js'",
      calls: ['dist/index.js'],
      declarations: ['dist/index.d.ts'],
    },
    isCamelCase: true,
    // The package writes the document of JSON:API around the attributes itself.
    fieldOf: ([first, second, ...rest]) => {
      if (first !== 'data') return second === undefined ? [first!] : [first!, second, ...rest]
      return second === 'attributes' && rest.length > 0 ? rest : null
    },
    givenAs: 'data',
    readsAsItCame: true,
    // Of a page with nothing on it.
    mayBeNull: /^meta\.page\.(?:from|to)$/,
    shown: shownBySqueezy,
    beyond: {
      'GET /v1/customers/{}/orders': ofLinks,
      'GET /v1/customers/{}/subscriptions': ofLinks,
    },
    words: [
      {
        of: 'status of a subscription',
        type: "sdk.Subscription['data']['attributes']['status']",
        known: ['cancelled', ...wordsOf(squeezyStatuses)],
      },
      {
        of: 'status of an order',
        type: "sdk.Order['data']['attributes']['status']",
        known: wordsOf(squeezyStates),
        beyond: { ...olderThanDocs, void: 'A word of invoices, which are read by the same table.' },
      },
      {
        of: 'status of an invoice',
        type: "sdk.SubscriptionInvoice['data']['attributes']['status']",
        known: wordsOf(squeezyStates),
        beyond: { ...olderThanDocs, failed: 'A word of orders, which are read by the same table.' },
      },
    ],
    events: {
      type: "sdk.NewWebhook['events'][number]",
      handles: (type) => squeezyChanges.subjects.has(type),
      known: [...keysOf(squeezyChanges.subjects), ...squeezyNeeds],
      ignored: {
        'Keys of software are not sold here.': 'license_key_created license_key_updated',
      },
    },
  },
  paypal: {
    sdk: {
      package: '@paypal/paypal-server-sdk',
      imports: "import type * as sdk from '@paypal/paypal-server-sdk'",
      calls: ['src/controllers/*.ts'],
    },
    isCamelCase: true,
    givenAs: 'result',
    beyond: {
      'GET /v1/notifications/webhooks': ofEvents,
      'GET /v1/notifications/webhooks-events': ofEvents,
      'POST /v1/notifications/verify-webhook-signature': ofEvents,
      'GET /v1/customer/disputes/{}': ofDisputes,
      'GET /v1/payments/sale/{}': ofOldApi,
      'GET /v1/payments/refund/{}': ofOldApi,
      'POST /v1/payments/sale/{}/refund': ofOldApi,
      'GET /v1/payments/billing-agreements/{}': ofAgreements,
    },
    words: [
      {
        of: 'status of a subscription',
        type: 'sdk.SubscriptionStatus',
        known: ['ACTIVE', 'SUSPENDED', 'CANCELLED', 'EXPIRED'],
        left: { APPROVAL_PENDING: waits, APPROVED: waits },
      },
      {
        of: 'status of an order',
        type: 'sdk.OrderStatus',
        known: wordsOf(paypalPages),
        left: { CREATED: waits, SAVED: waits, APPROVED: waits, PAYER_ACTION_REQUIRED: waits },
      },
      {
        of: 'status of a capture',
        type: 'sdk.CaptureStatus',
        known: [...paypalMoney.paidWords, ...paypalMoney.failedWords],
        left: { PENDING: waits },
        beyond: { REVERSED: ofSales, DENIED: ofSales, VOIDED: ofSales, EXPIRED: ofSales },
      },
      {
        of: 'status of a refund',
        type: 'sdk.RefundStatus',
        known: wordsOf(paypalMoney.refundStates),
        left: { COMPLETED: 'What is no other word has succeeded.' },
      },
      { of: 'kind of a cycle', type: 'sdk.TenureType', known: ['REGULAR', 'TRIAL'] },
    ],
    events: null,
  },
}
