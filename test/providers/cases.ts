import type { ProviderCase } from './case.ts'
import { chargebee } from './chargebee/case.ts'
import { creem } from './creem/case.ts'
import { dodo } from './dodo/case.ts'
import { lemonsqueezy } from './lemonsqueezy/case.ts'
import { paddle } from './paddle/case.ts'
import { paypal } from './paypal/case.ts'
import { polar } from './polar/case.ts'

/** Every provider whose tests are the same. */
export const cases: readonly ProviderCase[] = [chargebee, creem, dodo, lemonsqueezy, paddle, paypal, polar]
