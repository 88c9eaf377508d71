import { chargebee } from './chargebee/index.ts'
import type { ProviderDefinition } from './contract.ts'
import { creem } from './creem/index.ts'
import { dodo } from './dodo/index.ts'
import { lemonsqueezy } from './lemonsqueezy/index.ts'
import { paddle } from './paddle/index.ts'
import { paypal } from './paypal/index.ts'
import { polar } from './polar/index.ts'
import { sandbox } from './sandbox/index.ts'
import { stripe } from './stripe/index.ts'

/** Every provider that the package brings: one folder, one line. */
export const providers: readonly ProviderDefinition[] = [
  chargebee,
  creem,
  dodo,
  lemonsqueezy,
  paddle,
  paypal,
  polar,
  sandbox,
  stripe,
]
