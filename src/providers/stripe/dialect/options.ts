import type {
  Buyer,
  MerchantControls,
  MerchantOptions,
  NewCoupon,
  NewPrice,
  NewProduct,
} from '../../../merchant/index.ts'
import type { FakeEvent, Kind, Objects } from './shapes.ts'

export interface FakeStripeOptions extends MerchantOptions {
  /** The shape of events, and of answers to requests without `Stripe-Version`: `2025-03-31.basil` without. Before that
   *  version (or with `'old'`) subscriptions have the period and invoices the intent. */
  readonly apiVersion?: string
  /** Seconds that the invoice of a renewal stays a draft; 3600 without, as Stripe's. */
  readonly draftSeconds?: number
}

/** What came of paying; what the buyer reads when nothing was bought, and the page stays open. */
export interface Paid {
  readonly session: Objects['checkout.session']
  readonly refusal: string | null
}

/** One fake account of Stripe, with its API on loopback. */
export interface FakeStripe extends MerchantControls {
  readonly secret: string
  addProduct(product: NewProduct): Objects['product']
  addPrice(price: NewPrice): Objects['price']
  addCoupon(coupon: NewCoupon): Objects['coupon']
  /** What a buyer does on the payment page. @throws TypeError for a session that is not open. */
  pay(session: string, buyer?: Buyer & { at?: Date }): Promise<Paid>
  /** The customer and all their subscriptions pay with this test card from now on. */
  useCard(customer: string, card: string): void
  /** The next payment of this customer or subscription is refused, whatever the card. */
  failNextPayment(id: string): void
  /** Of a charge or a payment intent; all that is left without an amount. */
  refund(id: string, amount?: number): Objects['refund']
  dispute(id: string, reason?: string): Objects['dispute']
  closeDispute(id: string, outcome: 'won' | 'lost'): Objects['dispute']
  /** Its state, in the newest shape: the objects that it keeps, to be looked at and not to be changed. */
  readonly objects: {
    list<K extends Kind>(kind: K): Objects[K][]
    /** Undefined for an id that nobody has. */
    get(id: string): Objects[Kind] | undefined
  }
  /** All events, oldest first. */
  events(): FakeEvent[]
}
