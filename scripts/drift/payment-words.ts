/** A table of the facts that each provider's payment messages state, from the data beside its adapter. */
import { paymentWords as apple } from '../../src/providers/apple/money.ts'
import { paymentWords as chargebee } from '../../src/providers/chargebee/money.ts'
import { paymentWords as creem } from '../../src/providers/creem/money.ts'
import { paymentWords as dodo } from '../../src/providers/dodo/money.ts'
import { paymentWords as google } from '../../src/providers/google/money.ts'
import { paymentWords as lemonsqueezy } from '../../src/providers/lemonsqueezy/money.ts'
import { paymentWords as mollie } from '../../src/providers/mollie/money.ts'
import type { PaymentWord, PaymentWords } from '../../src/providers/money.ts'
import { paymentWords as paddle } from '../../src/providers/paddle/money.ts'
import { paymentWords as paypal } from '../../src/providers/paypal/money.ts'
import { paymentWords as polar } from '../../src/providers/polar/money.ts'
import { paymentWords as revenuecat } from '../../src/providers/revenuecat/money.ts'
import { paymentWords as stripe } from '../../src/providers/stripe/money.ts'
import { between, type Described, titleOf } from '../provider-tables.ts'

/** By provider: the words of its payment messages. The sandbox plays all of them. */
export const wordsOf: Readonly<Record<string, readonly PaymentWords[]>> = {
  apple,
  chargebee,
  creem,
  dodo,
  google,
  lemonsqueezy,
  mollie,
  paddle,
  paypal,
  polar,
  revenuecat,
  stripe,
}

const columns: readonly PaymentWord[] = ['period', 'item amounts', 'price', 'quantity', 'trial']

/** `docs/provider-capabilities.md` with the table of payment messages. */
export function withPaymentWords(page: string, described: readonly Described[]): string {
  return between(
    page,
    'payment-words',
    [
      `| Message | ${columns.join(' | ')} | Purpose |`,
      `|---|${columns.map(() => '---|').join('')}---|`,
      ...described.flatMap(({ definition }) =>
        (wordsOf[definition.key] ?? []).map(({ object, says, purposes, source }) => {
          const cells = columns.map((column) => (says.includes(column) ? 'yes' : '–'))
          return `| ${titleOf(definition)}: [${object}](${source}) | ${cells.join(' | ')} | ${purposes.join(', ') || '–'} |`
        }),
      ),
    ].join('\n'),
  )
}
