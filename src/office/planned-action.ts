import type { Plan } from '../core/dto/index.ts'
import type { Deletions } from '../memberships/account/index.ts'
import type { AuditedAction } from '../memberships/audit-log/index.ts'
import type { Actions } from '../memberships/checkout/index.ts'
import type { Limits } from '../memberships/limits/index.ts'
import type { User, Users } from '../memberships/members/index.ts'
import type { Merging } from '../memberships/merging/index.ts'
import type { Compare } from '../memberships/sync/index.ts'
import type { Operators } from './operators.ts'
import type { Fillings } from './words.ts'

/** Reads a field of an action's form or link. */
export type FormField = (name: string) => string | null

/** An action that is planned but not run yet. */
export interface Planned {
  readonly action: AuditedAction
  /** The effects as texts: keys with their values. */
  readonly says: readonly { readonly key: string; readonly fill?: Fillings }[]
  /** The words of the button that runs it, where its action alone does not say enough. */
  readonly button?: { readonly key: string; readonly fill?: Fillings }
  /** The fields that the confirming form sends again. */
  readonly fields: Readonly<Record<string, string>>
  readonly subject?: string | null
  readonly before?: unknown
  /** The member concerned; null for actions on received events and messages. */
  readonly memberId: string | null
  /** Other members whom it concerns as well. */
  readonly alsoConcerns?: readonly User[]
  run(key: string): Promise<unknown>
  /** A second step with its own record, run after the first. Its failure leaves the first step in effect. */
  readonly next?: Planned | null
  /** The part of the result that the log stores. */
  after?(result: unknown): unknown
  /** The part of the result shown once: a link or key to hand over, with its label. */
  shown?(result: unknown): {
    readonly key: string
    readonly fill?: Fillings
    readonly link?: string
    readonly label?: string
  } | null
}

/** The services that perform what the office asks for. */
export interface ActionServices {
  readonly users: Pick<Users, 'grant' | 'revoke' | 'findById' | 'findByEmail'>
  readonly actions: Pick<Actions, 'cancel' | 'resume' | 'renew' | 'change' | 'refund'>
  readonly merging: Pick<Merging, 'merge'>
  readonly compare: Compare
  readonly limits: Pick<Limits, 'correct'>
  readonly operators: Pick<Operators, 'find'>
  readonly loginLink: (memberId: string) => Promise<{ url: string; expiresAt: string }>
  readonly deletions: Pick<Deletions, 'request'>
  readonly plans: () => readonly Plan[]
  /** The decimal digits of a provider's minor units. */
  readonly digits: (provider: string, currency: string) => number
  readonly now: () => Date
}

/**
 * Plans an action on a member from a form.
 * @throws ERR_FORM, ERR_NOT_FOUND
 */
export type PlanAction = (visit: {
  readonly user: User
  readonly field: FormField
  readonly by: string
  /** True when the action runs now; false for the preview. */
  readonly isConfirmed: boolean
  readonly day: (at: string) => string
  readonly money: (amount: number, currency: string, provider: string) => string
}) => Planned | Promise<Planned>
