import { day } from '../../../merchant/index.ts'
import { settleCharge, startCharge, type Try } from './payments.ts'
import type { PaymentIntent } from './types.ts'
import type { World } from './world.ts'

/** Accounts whose debits settle or come back. https://docs.stripe.com/testing#non-card-payments */
export const testAccounts: Readonly<Record<string, 'settles' | 'comes back'>> = {
  DE89370400440532013000: 'settles',
  AT611904300234573201: 'settles',
  DE62370400440532013001: 'comes back',
}

/** Whether a payment method's number is that of an account, which a bank is asked to debit. */
export const isAccount = (number: string): boolean => Object.hasOwn(testAccounts, number)

// Up to 14 business days: https://docs.stripe.com/payments/sepa-debit
const defaultDays = 5

/** Asks the bank: the intent is `processing` until `endDebit`. */
export const beginDebit = (world: World, intentId: string, given: Omit<Try, 'refusal'>): void => {
  const charge = startCharge(world, world.store.get('payment_intent', intentId), given)
  const days = world.notes.debitDays.get(given.card) ?? defaultDays
  world.notes.debits.set(intentId, { at: world.clock.seconds() + days * day, number: given.card })
  world.change(
    'payment_intent',
    intentId,
    {
      last_payment_error: null,
      latest_charge: charge.id,
      payment_method: given.method,
      status: 'processing',
    },
    'payment_intent.processing',
  )
}

/** The bank's answer: whether the money came. */
export const answerDebit = (world: World, intent: PaymentIntent): boolean => {
  const { number } = world.notes.debits.get(intent.id)!
  world.notes.debits.delete(intent.id)
  const settles = testAccounts[number] === 'settles'
  settleCharge(world, intent, settles ? null : 'insufficient_funds')
  return settles
}
