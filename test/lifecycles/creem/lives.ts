import type { Lifecycle } from '../lifecycle.ts'
import { creemChanges } from './changes.ts'
import { creemPayments } from './payments.ts'
import { creemRefunds } from './refunds.ts'

export const creemLives: readonly Lifecycle[] = [...creemPayments, ...creemChanges, ...creemRefunds]
