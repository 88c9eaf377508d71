import { apple } from '../providers/apple/index.ts'
import { chargebee } from '../providers/chargebee/index.ts'
import type { ProviderDefinition } from '../providers/contract.ts'
import { creem } from '../providers/creem/index.ts'
import { dodo } from '../providers/dodo/index.ts'
import { google } from '../providers/google/index.ts'
import { lemonsqueezy } from '../providers/lemonsqueezy/index.ts'
import { mollie } from '../providers/mollie/index.ts'
import { paddle } from '../providers/paddle/index.ts'
import { paypal } from '../providers/paypal/index.ts'
import { polar } from '../providers/polar/index.ts'
import { revenuecat } from '../providers/revenuecat/index.ts'
import { sandbox } from '../providers/sandbox/index.ts'
import { stripe } from '../providers/stripe/index.ts'

/** Every provider of the package, loaded at once: a test can sign for any of them and format its amounts. */
export const definitions: readonly ProviderDefinition[] = [
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
  sandbox,
  stripe,
]
