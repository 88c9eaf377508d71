import { appleLives } from './apple/lives.ts'
import { chargebeeLives } from './chargebee/lives.ts'
import { creemLives } from './creem/lives.ts'
import { dodoLives } from './dodo/lives.ts'
import { googleLives } from './google/lives.ts'
import { lemonLives } from './lemonsqueezy/lives.ts'
import type { Lifecycle } from './lifecycle.ts'
import { mollieLives } from './mollie/lives.ts'
import { paddleLives } from './paddle/lives.ts'
import { paypalLives } from './paypal/lives.ts'
import { polarLives } from './polar/lives.ts'
import { revenuecatLives } from './revenuecat/lives.ts'
import { stripeLives } from './stripe/lives.ts'

/** Every lifecycle, by provider. */
export const lives: readonly Lifecycle[] = [
  ...appleLives,
  ...chargebeeLives,
  ...creemLives,
  ...dodoLives,
  ...googleLives,
  ...lemonLives,
  ...mollieLives,
  ...paddleLives,
  ...paypalLives,
  ...polarLives,
  ...revenuecatLives,
  ...stripeLives,
]
