import type { Context } from 'koa'
import { MembershipError } from '../core/errors.ts'
import { paramOf } from '../core/http/form-router.ts'
import type { Outbox } from '../core/jobs/outbox.ts'
import type { Storage } from '../core/storage/index.ts'
import type { AuditedAction } from '../memberships/audit-log/index.ts'
import type { Assigning } from '../memberships/sync/index.ts'
import type { Inbox } from '../memberships/webhooks/index.ts'
import { confirmedActions, type Doing, queryText, type TextOf } from './confirming.ts'
import {
  arrivals,
  type DeliveriesFilter,
  earlierOf,
  gapsOf,
  listEvents,
  listUnclaimed,
  stuckStatuses,
} from './deliveries-statements.ts'
import { type DifferenceLine, differenceOf } from './delivery-difference.ts'
import { type Pulling, pulledSince } from './delivery-pulling.ts'
import type { Pages } from './pages.ts'
import type { Planned } from './planned-action.ts'
import { type OfficeRoutes, office } from './routes.ts'

/** Events applied again at a time. */
export const bulk = 200

/** The statuses that filter the list of received events. */
export const statuses = ['processed', 'ignored', 'failed', 'dead', 'held'] as const

/** Retries all stuck events, one event, or one outgoing message. */
export function createDeliveryActions(deps: {
  storage: Pick<Storage, 'read'>
  inbox: Pick<Inbox, 'get' | 'replay' | 'release'>
  outbox: Pick<Outbox, 'replay'>
}) {
  const { storage, inbox, outbox } = deps

  /** Applies all stuck events of a filter, one after the other. A failing one does not stop the rest. */
  const everything = (filter: DeliveriesFilter): Planned => ({
    action: filter.status === 'held' ? 'release' : 'replay',
    memberId: null,
    subject: [filter.status, filter.provider, filter.type].filter(Boolean).join(' '),
    fields: fieldsOf(filter),
    says: [{ key: filter.status === 'held' ? 'do.release.says' : 'do.replay.says', fill: { most: bulk } }],
    run: async () => {
      let applied = 0
      const { rows } = await listEvents(storage, filter, bulk)
      // In order of arrival.
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

function item(action: AuditedAction, subject: string): Omit<Planned, 'says' | 'run'> {
  return {
    action,
    subject,
    memberId: null,
    fields: {},
  }
}

/** Reads the filter from an address or a form. */
export function readFilter(text: TextOf): DeliveriesFilter {
  const status = text('status')
  return {
    status: (statuses as readonly (string | null)[]).includes(status) ? status : null,
    provider: text('provider'),
    type: text('type'),
    before: null,
  }
}

/**
 * Reads a filter, and refuses one that would apply events again that were applied before.
 * @throws ERR_FORM
 */
export function stuck(text: TextOf): DeliveriesFilter {
  const filter = readFilter(text)
  if (stuckStatuses.includes(filter.status as never)) return filter
  throw new MembershipError('ERR_FORM', 'Choose which: those that gave up, failed, or are held back.')
}

/** Writes a filter as form fields. */
export function fieldsOf({ status, provider, type }: DeliveriesFilter): Record<string, string> {
  return {
    status: status ?? '',
    provider: provider ?? '',
    type: type ?? '',
  }
}

/**
 * Reads the number of an event or message from its address.
 * @throws ERR_NOT_FOUND
 */
export function numberOf(ctx: Context): string {
  const seq = paramOf(ctx, 'seq')
  if (/^\d{1,15}$/.test(seq)) return seq
  throw new MembershipError('ERR_NOT_FOUND', 'Received events have numbers.')
}

/** Dependencies of the pages about events and messages. */
export interface DeliveriesRoutesDeps {
  readonly pages: Pages
  readonly storage: Pick<Storage, 'read'>
  readonly inbox: Pick<Inbox, 'get' | 'replay' | 'release' | 'changesOf'>
  readonly pulling: Pulling
  readonly outbox: Pick<Outbox, 'list' | 'replay'>
  readonly unassigned: Pick<Assigning, 'list'>
  readonly providerKeys: readonly string[]
  readonly doing: Doing
  readonly now: () => Date
  readonly randomId: () => string
}

const pageSize = 20
/** The most fields shown of an event. */
const mostLines = 80

/** Received events and outgoing messages: lists, bodies, and retries. */
export function deliveriesRoutes(routes: OfficeRoutes, deps: DeliveriesRoutesDeps): void {
  const { page } = routes
  const { pages, storage, inbox, outbox, pulling } = deps

  page('/deliveries', async ({ ctx, who }) => {
    const filter = filterOf(ctx)
    const { rows, next } = await listEvents(storage, filter, pageSize)
    pages.show(ctx, who, 'deliveries', {
      filter,
      statuses,
      providerKeys: deps.providerKeys,
      rows,
      next: next === null ? null : linkOf({ ...filter, before: next }),
      isStuck: stuckStatuses.includes(filter.status as never),
      bulk,
      gaps: gapsOf(await arrivals(storage), deps.now()).map((gap) => ({
        ...gap,
        mayPull: pulling.canPull(gap.provider),
      })),
    })
  })

  page('/deliveries/:seq', async ({ ctx, who }) => {
    const { body, headers: _, ...event } = await inbox.get(numberOf(ctx))
    const lines = body === null ? null : await differencesOf(event, deps)
    pages.show(ctx, who, 'delivery', { event, lines, arrived: body === null ? null : bodyWords(body) })
  })

  page('/messages', async ({ ctx, who }) => {
    const after = { dead: placeOf(ctx, 'dead'), waiting: placeOf(ctx, 'waiting') }
    const [dead, waiting] = await Promise.all([
      outbox.list({ dead: true, after: after.dead, limit: pageSize + 1 }),
      outbox.list({ waiting: true, after: after.waiting, limit: pageSize + 1 }),
    ])
    const lists = { dead: dead.slice(0, pageSize), waiting: waiting.slice(0, pageSize) }
    pages.show(ctx, who, 'messages', {
      ...lists,
      more: {
        dead: dead.length > pageSize ? messagesLink({ ...after, dead: lists.dead.at(-1)!.seq }) : null,
        waiting:
          waiting.length > pageSize ? messagesLink({ ...after, waiting: lists.waiting.at(-1)!.seq }) : null,
      },
    })
  })

  page('/unclaimed', async ({ ctx, who }) => {
    const [provider = '', account = '', id = ''] = (queryText(ctx, 'after') ?? '')
      .split(' ')
      .map(decodeURIComponent)
    const [unpriced, found] = await Promise.all([
      deps.unassigned.list(),
      listUnclaimed(storage, { after: [provider, account, id], limit: pageSize + 1 }),
    ])
    const ownerless = found.slice(0, pageSize)
    const last = found.length > pageSize ? ownerless.at(-1)! : null
    const place = last && [last.provider, last.account, last.customer_id].map(encodeURIComponent).join(' ')
    pages.show(ctx, who, 'unclaimed', {
      unpriced,
      ownerless,
      next: place && `${office}/unclaimed?${new URLSearchParams({ after: place })}`,
    })
  })

  const { everything, single, message } = createDeliveryActions(deps)
  const confirmed = confirmedActions(routes, deps)
  confirmed('/pull', `${office}/deliveries`, ({ text }) => pulledSince(pulling, text))
  confirmed('/apply-again', `${office}/deliveries`, ({ text }) => everything(stuck(text)))
  confirmed('/deliveries/:seq/again', `${office}/deliveries`, ({ ctx }) => single(ctx))
  confirmed('/messages/:seq/again', `${office}/messages`, ({ ctx }) => message(ctx))
}

/** The number that a list continues after; 0 for its start. */
function placeOf(ctx: Context, name: string): number {
  const place = Number(queryText(ctx, name) ?? 0)
  return Number.isSafeInteger(place) ? place : 0
}

function messagesLink({ dead, waiting }: { dead: number; waiting: number }): string {
  return `${office}/messages?${new URLSearchParams({ dead: String(dead), waiting: String(waiting) })}`
}

/** Compares an event with the previous event about the object; null where either can no longer be read. */
async function differencesOf(
  event: Parameters<typeof earlierOf>[1],
  { storage, inbox }: Pick<DeliveriesRoutesDeps, 'storage' | 'inbox'>,
): Promise<DifferenceLine[] | null> {
  try {
    const earlier = await earlierOf(storage, event)
    const field = async (seq: string) => inbox.changesOf(await inbox.get(seq))
    const before = earlier === null ? [] : await field(earlier).catch(() => [])
    return differenceOf(await field(String(event.seq)), before).slice(0, mostLines)
  } catch {
    return null
  }
}

function filterOf(ctx: Context): DeliveriesFilter {
  const text: TextOf = (name) => queryText(ctx, name)
  const before = Number(text('before') ?? Number.NaN)
  return { ...readFilter(text), before: Number.isSafeInteger(before) ? before : null }
}

function linkOf(filter: DeliveriesFilter): string {
  return `${office}/deliveries?${new URLSearchParams({ ...fieldsOf(filter), before: String(filter.before) })}`
}

/** Formats JSON for reading; anything else stays as it came. */
function bodyWords(body: Buffer): string {
  const text = body.toString('utf8').slice(0, 200_000)
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
