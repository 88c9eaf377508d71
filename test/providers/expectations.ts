import { cases } from './cases.ts'
import { named as mollieDeliveries, expected as mollieObjects } from './mollie/expected.ts'
import { expected as stripe } from './stripe/expected.ts'

interface Expectations {
  /** By file name: what the payload says; a text at Mollie, which has a line for each change. */
  readonly expected: Readonly<Record<string, readonly unknown[]>>
  /** True for what is no message of the provider: the reader refuses it. */
  isRefused(file: string): boolean
}

function never() {
  return false
}

/** The expectations of all public payloads, by provider. */
export const expectations: Readonly<Record<string, Expectations>> = {
  stripe: { expected: stripe, isRefused: never },
  mollie: { expected: { ...mollieObjects, ...mollieDeliveries }, isRefused: never },
  ...Object.fromEntries(
    cases.map(({ definition: { key }, expected, isNoEvent = never }) => [
      key,
      { expected, isRefused: isNoEvent },
    ]),
  ),
}
