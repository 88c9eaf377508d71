import type { OutboxFilter } from '../../core/jobs/outbox.ts'
import { afterFull, toListing } from '../../core/listing.ts'
import type { GiftQuery } from '../../memberships/gifts/index.ts'
import type { MemberQuery } from '../../memberships/members/index.ts'
import { type Raise, raisesPerPage } from '../../memberships/raises/index.ts'
import type { DeclarationQuery } from '../../memberships/shop/index.ts'
import type { EventQuery } from '../../memberships/webhooks/index.ts'
import type { Membership, OperatorApi } from '../membership-api.ts'
import { listing, strictly } from './call-inputs.ts'
import type { Services } from './services.ts'

/** The lists that have pages. `await` gives the first page, and an iteration reads the others. */
export interface PagedLists {
  readonly users: Membership['users']['list']
  readonly gifts: Membership['gifts']['list']
  readonly raises: Membership['raises']['list']
  readonly webhooks: Membership['webhooks']['list']
  readonly declarations: OperatorApi['declarations']['list']
  readonly outbox: OperatorApi['outbox']['list']
  readonly audit: OperatorApi['audit']['list']
}

export function createLists(services: Services): PagedLists {
  const { users, gifts, raises, inbox, declarations, outbox, auditLog } = services
  return {
    users: listing(
      'users.list',
      { q: true, status: true, plan: true, cursor: true, limit: true },
      async (query: MemberQuery) => {
        const page = await users.list(query)
        const next = page.next === null ? null : Object.assign({}, query, { cursor: page.next })
        return { page, items: page.members, next }
      },
    ),
    gifts: listing('gifts.list', { batch: true, before: true, limit: true }, async (query: GiftQuery) => {
      const page = await gifts.list(query)
      const next = afterFull(page, query, { limit: 100, from: ({ id }) => ({ before: id }) })
      return { page, items: page, next }
    }),
    raises: () => {
      const read = async ({ before }: RaisePlace) => {
        const page = await raises.list(before)
        const last = page.length < raisesPerPage ? undefined : page.at(-1)
        return { page, items: page, next: last === undefined ? null : { before: last } }
      }
      return toListing<readonly Raise[], Raise, RaisePlace>(read({ before: null }), read)
    },
    webhooks: listing(
      'webhooks.list',
      { failed: true, provider: true, before: true, limit: true },
      async (query: EventQuery) => {
        const page = await inbox.list(query)
        const next = afterFull(page, query, { limit: 50, from: ({ seq }) => ({ before: seq }) })
        return { page, items: page, next }
      },
    ),
    declarations: listing(
      'operator.declarations.list',
      { open: true, before: true, limit: true },
      async (query: DeclarationQuery) => {
        const page = await declarations.list(query)
        const next = afterFull(page, query, { limit: 100, from: ({ id }) => ({ before: id }) })
        return { page, items: page, next }
      },
    ),
    outbox: listing(
      'operator.outbox.list',
      { dead: true, waiting: true, after: true, limit: true },
      async (query: OutboxFilter) => {
        const page = await outbox.list(query)
        const next = afterFull(page, query, { limit: 100, from: ({ seq }) => ({ after: seq }) })
        return { page, items: page, next }
      },
    ),
    audit: (filter = {}) => {
      const read = async ({ member, before, limit = 50 }: AuditPlace) => {
        const size = Math.max(1, Math.min(500, Math.trunc(limit)))
        const { records: page, next } = await auditLog.page({ member, before, limit: size })
        return { page, items: page, next: next === null ? null : { member, before: next, limit } }
      }
      const first = strictly(
        'operator.audit.list',
        { member: true, limit: true },
        async (query: AuditFilter) => read(query),
      )
      return toListing(first(filter), read)
    },
  }
}

/** The raise after which a page begins. */
interface RaisePlace {
  readonly before: Raise | null
}

/** The records after which a page of the audit log begins. The call itself takes no cursor. */
interface AuditPlace {
  readonly member?: string | undefined
  readonly before?: string | undefined
  readonly limit?: number
}
type AuditFilter = NonNullable<Parameters<OperatorApi['audit']['list']>[0]>
