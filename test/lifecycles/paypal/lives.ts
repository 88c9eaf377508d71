import type { Lifecycle } from '../lifecycle.ts'
import { paypalChanges } from './changes.ts'
import { paypalPayments } from './payments.ts'
import { paypalRefunds } from './refunds.ts'

export const paypalLives: readonly Lifecycle[] = [...paypalPayments, ...paypalChanges, ...paypalRefunds]
