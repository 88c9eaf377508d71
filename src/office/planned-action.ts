import type { Plan } from '../core/dto/index.ts'
import type { Deletions } from '../memberships/account/index.ts'
import type { AuditedAction } from '../memberships/audit-log/index.ts'
import type { Actions } from '../memberships/checkout/index.ts'
import type { User, Users } from '../memberships/members/index.ts'
import type { Merging } from '../memberships/merging/index.ts'
import type { Compare } from '../memberships/sync/compare.ts'
import type { Fillings } from './words.ts'

/** The word of a form or a link on an action. */
export type FormField = (name: string) => string | null

/** An action that was thought through and is not done yet. */
export interface Planned {
  readonly action: AuditedAction
  /** The effects, as texts: keys of the words with what fills them. */
  readonly says: readonly { readonly key: string; readonly fill?: Fillings }[]
  /** The fields that the confirming form sends again. */
  readonly fields: Readonly<Record<string, string>>
  readonly subject?: string | null
  readonly before?: unknown
  /** The member that it is done to; none for auditLog to received events and messages. */
  readonly memberId: string | null
  run(): Promise<unknown>
  /** A second step, noted by itself and done once the first is: what fails of it leaves the first as it is. */
  readonly next?: Planned | null
  /** The part of the result that the log keeps. */
  after?(result: unknown): unknown
  /** The part of the result that is shown once: a link or a key to hand over, and what it is called. */
  shown?(result: unknown): {
    readonly key: string
    readonly fill?: Fillings
    readonly link?: string
    readonly label?: string
  } | null
}

/** The rooms that do what the office only asks for. */
export interface ActionServices {
  readonly users: Pick<Users, 'grant' | 'revoke' | 'findById' | 'findByEmail'>
  readonly actions: Pick<Actions, 'cancel' | 'resume' | 'renew' | 'change' | 'refund'>
  readonly merging: Pick<Merging, 'merge'>
  readonly compare: Compare
  readonly loginLink: (memberId: string) => Promise<{ url: string; expiresAt: string }>
  readonly deletions: Pick<Deletions, 'request'>
  readonly plans: () => readonly Plan[]
  /** Digits after the point that a provider's minor units have. */
  readonly digits: (provider: string, currency: string) => number
  readonly now: () => Date
}

/** Thinks an action to a member through, from what a form says. @throws ERR_FORM, ERR_NOT_FOUND */
export type PlanAction = (visit: {
  readonly user: User
  readonly field: FormField
  readonly by: string
  /** It is to be done now; false while it is shown what would be. */
  readonly isConfirmed: boolean
  readonly day: (at: string) => string
  readonly money: (amount: number, currency: string, provider: string) => string
}) => Planned | Promise<Planned>
