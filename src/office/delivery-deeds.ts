import type { Context } from 'koa'
import { MembershipError } from '../core/errors.ts'
import { paramOf } from '../core/http/form-router.ts'
import type { Outbox } from '../core/jobs/outbox.ts'
import type { Storage } from '../core/storage/index.ts'
import type { DeedName } from '../memberships/audit-log/index.ts'
import type { Inbox } from '../memberships/webhooks/inbox.ts'
import type { TextOf } from './confirmed.ts'
import { type DeliveriesFilter, listEvents, stuckStatuses } from './deliveries-statements.ts'
import type { Planned } from './member-deeds.ts'

/** So many at a time are applied again. */
export const bulk = 200

/** The statuses to which the list of received events can be narrowed. */
export const statuses = ['processed', 'ignored', 'failed', 'dead', 'held'] as const

/** Trying again: everything that is stuck, one event, one message that leaves. */
export const createDeliveryDeeds = (deps: {
  storage: Pick<Storage, 'read'>
  inbox: Pick<Inbox, 'get' | 'replay' | 'release'>
  outbox: Pick<Outbox, 'replay'>
}) => {
  const { storage, inbox, outbox } = deps

  /** Everything of a filter that is stuck, one after the other: one that fails again keeps none of the others. */
  const everything = (filter: DeliveriesFilter): Planned => ({
    action: filter.status === 'held' ? 'release' : 'replay',
    memberId: null,
    subject: [filter.status, filter.provider, filter.type].filter(Boolean).join(' '),
    fields: fieldsOf(filter),
    says: [{ key: filter.status === 'held' ? 'do.release.says' : 'do.replay.says', fill: { most: bulk } }],
    run: async () => {
      let applied = 0
      const { rows } = await listEvents(storage, filter, bulk)
      // In the order of their arrival.
      for (const { seq } of rows.reverse())
        if (await again(String(seq), filter.status).catch(() => false)) applied++
      return { tried: rows.length, applied }
    },
    after: (result) => result,
    shown: (result) => ({ key: 'do.replay.shown', fill: result as { tried: number; applied: number } }),
  })

  const again = (seq: string, status: string | null): Promise<boolean> =>
    status === 'held' ? inbox.release(seq) : inbox.replay(seq)

  const single = async (ctx: Context): Promise<Planned> => {
    const { seq, status, type } = await inbox.get(numberOf(ctx))
    return {
      ...item(status === 'held' ? 'release' : 'replay', `event ${seq}`),
      says: [{ key: status === 'held' ? 'do.release.one' : 'do.replay.one', fill: { type } }],
      run: () => again(String(seq), status),
      after: (applied) => ({ applied }),
      shown: (applied) => ({ key: applied ? 'do.replay.applied' : 'do.replay.not_applied' }),
    }
  }

  const message = (ctx: Context): Planned => ({
    ...item('send-again', `message ${numberOf(ctx)}`),
    says: [{ key: 'do.send-again.says' }],
    run: () => outbox.replay(Number(numberOf(ctx))),
    shown: () => ({ key: 'do.send-again.shown' }),
  })

  return { everything, single, message }
}

const item = (action: DeedName, subject: string): Omit<Planned, 'says' | 'run'> => ({
  action,
  subject,
  memberId: null,
  fields: {},
})

/** The filter that an address or a form names. */
export const readFilter = (text: TextOf): DeliveriesFilter => {
  const status = text('status')
  return {
    status: (statuses as readonly (string | null)[]).includes(status) ? status : null,
    provider: text('provider'),
    type: text('type'),
    before: null,
  }
}

/** Refuses to apply in bulk anything that was applied once. @throws ERR_FORM */
export const stuck = (text: TextOf): DeliveriesFilter => {
  const filter = readFilter(text)
  if (stuckStatuses.includes(filter.status as never)) return filter
  throw new MembershipError('ERR_FORM', 'Choose which: those that gave up, failed, or are held back.')
}

/** The same as fields. */
export const fieldsOf = ({ status, provider, type }: DeliveriesFilter): Record<string, string> => ({
  status: status ?? '',
  provider: provider ?? '',
  type: type ?? '',
})

/** The number of an event or a message, of its address. @throws ERR_NOT_FOUND */
export const numberOf = (ctx: Context): string => {
  const seq = paramOf(ctx, 'seq')
  if (/^\d{1,15}$/.test(seq)) return seq
  throw new MembershipError('ERR_NOT_FOUND', 'Received events have numbers.')
}
