import type { Payment, Subscription } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { AuditEntry, AuditLog } from '../../memberships/audit-log/index.ts'
import type { ActionResult } from '../../memberships/checkout/index.ts'
import type { Invitation } from '../../memberships/groups/index.ts'
import type { NewGrant, User } from '../../memberships/members/index.ts'
import type { Raise } from '../../memberships/raises/index.ts'
import type { Acting, Membership, OperatorApi, RefundOf } from '../membership-api.ts'
import { byId, idOf, strictly } from './call-inputs.ts'
import type { Services } from './services.ts'
import type { Single } from './single.ts'

/**
 * Runs a call, with a record in the audit log where the call names the person who acts.
 * @throws ERR_USAGE for an empty name
 */
export type Recorded = <T>(
  entry: Omit<AuditEntry, 'by'> & { readonly by: string | undefined },
  run: () => Promise<T>,
  after?: (result: T) => unknown,
) => Promise<T>

export function createRecorded({ during }: Pick<AuditLog, 'during'>): Recorded {
  return async ({ by, ...entry }, run, after) => {
    if (by === undefined) return run()
    const name = typeof by === 'string' ? by.trim() : ''
    if (name === '')
      throw new MembershipError('ERR_USAGE', '"by" is empty.', {
        action: 'Give the name of the person who acts, or leave "by" out.',
      })
    return during({ ...entry, by: name }, run, after)
  }
}

/** Records an action on a member's subscription, with its state before and after. */
export function createActed(recorded: Recorded) {
  return (
    { by, user, subscriptionId: subject }: Acting & { readonly user: User; readonly subscriptionId: string },
    action: 'cancel' | 'resume' | 'change' | 'discount',
    run: () => Promise<ActionResult>,
  ): Promise<ActionResult> => {
    const own = user.subscriptions().find(({ id }) => id === subject)
    const before = own === undefined ? undefined : stateOf(own)
    return recorded({ by, action, memberId: user.id, subject, before }, run, ({ subscription }) =>
      stateOf(subscription),
    )
  }
}

function stateOf({ status, price_id, quantity, cancel_at_period_end, ended_at }: SubscriptionState) {
  return {
    status,
    price_id,
    quantity,
    cancel_at_period_end,
    ended_at,
  }
}
type SubscriptionState = Pick<
  Subscription,
  'status' | 'price_id' | 'quantity' | 'cancel_at_period_end' | 'ended_at'
>

/** The calls on members, teams, raises, events and messages that the audit log can show. */
export interface RecordedCalls {
  readonly users: Pick<Membership['users'], 'grant' | 'revoke' | 'setEmail' | 'loginLink' | 'delete'>
  readonly teams: Pick<Membership['teams'], 'invite'>
  readonly raises: Pick<Membership['raises'], 'stop' | 'resume' | 'undo'>
  readonly payments: Pick<Membership['payments'], 'refund'>
  readonly webhooks: Pick<Membership['webhooks'], 'replay' | 'release'>
  readonly outbox: Pick<OperatorApi['outbox'], 'replay'>
  readonly compare: OperatorApi['compare']
}

interface RecordedDeps {
  readonly services: Services
  readonly recorded: Recorded
  readonly single: Pick<Single, 'payer'>
  readonly publicUrl: () => string
}

export function createRecordedCalls(deps: RecordedDeps): RecordedCalls {
  return {
    users: usersFor(deps),
    ...salesFor(deps),
    ...operationsFor(deps),
  }
}

function usersFor({ services, recorded, publicUrl }: RecordedDeps): RecordedCalls['users'] {
  return {
    grant: strictly(
      'users.grant',
      {
        member: true,
        memberId: true,
        gate: true,
        source: true,
        reason: true,
        startsAt: true,
        expiresAt: true,
        by: true,
      },
      byId(({ by, ...grant }: NewGrant & Acting) =>
        recorded(
          { by, action: 'grant', memberId: grant.memberId, subject: grant.gate },
          () => services.users.grant(grant),
          (made) => ({ grant: made, gate: grant.gate, reason: grant.reason ?? null }),
        ),
      ),
    ),
    revoke: async (id, by) => {
      const grant = by === undefined ? null : await services.users.findGrant(id)
      const before = grant === null ? undefined : { gate: grant.gate, until: grant.expires_at }
      const entry = { by, action: 'revoke' as const, memberId: grant?.member_id ?? null, subject: id, before }
      return recorded(entry, () => services.users.revoke(id))
    },
    setEmail: (member, address, by) =>
      recorded(
        { by, action: 'email', memberId: idOf(member) },
        () => services.emailUndo.set(idOf(member), address),
        (change) => change,
      ),
    loginLink: (member, by) =>
      recorded(
        { by, action: 'login-link', memberId: idOf(member) },
        () => services.links.give(idOf(member), publicUrl()),
        // The link itself is secret, so the log keeps only its end.
        ({ expiresAt }) => ({ expires_at: expiresAt }),
      ),
    delete: (member, by) =>
      recorded(
        { by, action: 'delete', memberId: idOf(member) },
        () => services.deletions.request(idOf(member)),
        ({ step }) => ({ step }),
      ),
  }
}

function salesFor({
  services,
  recorded,
  single,
}: RecordedDeps): Pick<RecordedCalls, 'teams' | 'raises' | 'payments'> {
  const { groups, raises, actions } = services
  const turn = (does: 'stop' | 'resume' | 'undo') => (id: string, by?: string) =>
    recorded(
      { by, action: `raise-${does}`, memberId: null, subject: `raise ${id}` },
      () => raises[does](id),
      ({ status }: Raise) => ({ status }),
    )
  return {
    teams: {
      invite: strictly(
        'teams.invite',
        { subscriptionId: true, email: true, role: true, language: true, by: true },
        async ({ by, ...invitation }: Invitation & Acting) => {
          const id = invitation.subscriptionId
          const memberId = by === undefined ? null : (await groups.show(id)).owner_id
          return recorded(
            { by, action: 'group-invite', memberId, subject: `subscription ${id}` },
            () => groups.invite(invitation),
            // The address is another person's: a deletion would not find it here.
            ({ id: seat }) => ({ seat }),
          )
        },
      ),
    },
    raises: { stop: turn('stop'), resume: turn('resume'), undo: turn('undo') },
    payments: {
      refund: strictly(
        'payments.refund',
        { payment: true, amount: true, key: true, again: true, end: true, requestedBy: true, by: true },
        async ({ by, ...refund }: RefundOf) => {
          const { id } = refund.payment
          const memberId = by === undefined ? null : await single.payer(id)
          const name = by === undefined ? {} : { requestedBy: { kind: 'operator' as const, name: by } }
          return recorded(
            { by, action: 'refund', memberId, subject: id },
            () => actions.refund(Object.assign(name, refund)),
            ({ status, amount, amount_refunded, currency }: Payment) => ({
              status,
              amount,
              amount_refunded,
              currency,
            }),
          )
        },
      ),
    },
  }
}

function operationsFor({
  services,
  recorded,
}: RecordedDeps): Pick<RecordedCalls, 'webhooks' | 'outbox' | 'compare'> {
  const { inbox, outbox } = services
  const event = (does: 'replay' | 'release') => (id: string, by?: string) =>
    recorded(
      { by, action: does, memberId: null, subject: `event ${id}` },
      () => inbox[does](id),
      (applied) => ({ applied }),
    )
  return {
    webhooks: { replay: event('replay'), release: event('release') },
    outbox: {
      replay: (seq, by) =>
        recorded({ by, action: 'send-again', memberId: null, subject: `message ${seq}` }, () =>
          outbox.replay(seq),
        ),
    },
    compare: async ({ by, ...request } = {}) =>
      recorded(
        // Without `write` nothing is changed.
        {
          by: request.write ? by : undefined,
          action: 'compare',
          memberId: request.memberId ?? null,
          subject: request.provider ?? null,
        },
        () => services.compare(request),
        ({ checked, mended }) => ({ checked, mended }),
      ),
  }
}
