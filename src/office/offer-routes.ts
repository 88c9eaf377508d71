import { type Plan, titleOf } from '../core/dto/index.ts'
import type { Storage } from '../core/storage/index.ts'
import { type GiftStatus, type GiftsService, stateIn } from '../memberships/gifts/index.ts'
import type { Group, GroupsService } from '../memberships/groups/index.ts'
import type { Raises } from '../memberships/raises/index.ts'
import { confirmedActions, type Doing, type Plan as PlanOfAction, queryText } from './confirming.ts'
import { offerLists } from './offer-statements.ts'
import type { Pages } from './pages.ts'
import { type OfficeRoutes, office } from './routes.ts'

/** Routes for gifts and groups: who bought them, who has them, and what an operator may do about a gift. */
export function offerRoutes(
  routes: OfficeRoutes,
  deps: {
    pages: Pages
    doing: Doing
    randomId: () => string
    storage: Pick<Storage, 'read'>
    gifts: Pick<GiftsService, 'find' | 'sendAgain' | 'withdraw'>
    groups: Pick<GroupsService, 'show'>
    raises: Pick<Raises, 'list' | 'members'>
    plans: () => readonly Plan[]
  },
): void {
  const { pages, gifts, groups, plans } = deps
  const lists = offerLists(deps.storage)
  const nameOf = (plan: string | null): string => plans().find(({ id }) => id === plan)?.name ?? plan ?? ''

  routes.page('/gifts', async ({ ctx, who }) => {
    const found = await lists.gifts(queryText(ctx, 'before'), pageSize + 1)
    const rows = found.slice(0, pageSize).map((gift) => ({
      ...gift,
      name: nameOf(gift.plan),
      state: stateIn({ ...gift, status: gift.status as GiftStatus }),
      mayRevoke: gift.status !== 'closed' && gift.status !== 'ordered',
      maySend: gift.status === 'ready' && gift.to_email !== null,
    }))
    const next = found.length > pageSize ? (rows.at(-1)?.id ?? null) : null
    pages.show(ctx, who, 'gifts', { rows, next })
  })

  routes.page('/groups', async ({ ctx, who }) => {
    const found = await lists.groups(queryText(ctx, 'after'), pageSize + 1)
    const rows = await Promise.all(
      found.slice(0, pageSize).map(async (row) => ({ ...row, ...(await shown(row.subscription_id)) })),
    )
    const next = found.length > pageSize ? (rows.at(-1)?.subscription_id ?? null) : null
    pages.show(ctx, who, 'groups', { rows, next })
  })

  routes.page('/raises', async ({ ctx, who }) => {
    const raises = await Promise.all(
      (await deps.raises.list()).map(async (raise) => {
        const found = await deps.raises.members(raise.id, { account: '', subscription_id: '' }, pageSize + 1)
        const rows = found.slice(0, pageSize).map((row) => ({ ...row, why: whyOf(row.reason) }))
        const title = (price: string) => titleOf(price, plans())
        return {
          ...raise,
          ...{ rows, more: found.length > pageSize },
          ...{ from: title(raise.from_price), to: `${title(raise.to_price)} (${raise.to_price})` },
        }
      }),
    )
    pages.show(ctx, who, 'raises', { raises })
  })

  /** A group whose plan has lost its seats shows none. */
  const shown = async (subscription: string) => {
    const group: Group | null = await groups.show(subscription).catch(() => null)
    const members = group?.members ?? []
    return {
      name: nameOf(group?.plan ?? null),
      seats: group?.seats ?? 0,
      // The buyer has the first seat.
      taken: group === null ? 0 : 1 + members.filter(({ status }) => status === 'joined').length,
      invited: members.filter(({ status }) => status === 'invited').length,
      shrinks_at: group?.shrinks_at ?? null,
      members,
    }
  }

  const about = async (text: (name: string) => string | null) => {
    const gift = await gifts.find(text('gift') ?? '')
    const { id, status, plan, months, to } = gift
    return {
      gift,
      planned: { memberId: gift.member_id, subject: `gift ${id}`, before: { status }, fields: { gift: id } },
      fill: { plan: nameOf(plan), months, to: to ?? '' },
    }
  }
  const revoke: PlanOfAction = async ({ text }) => {
    const { gift, planned, fill } = await about(text)
    return {
      ...{ ...planned, action: 'gift-revoke' as const },
      says: [{ key: `do.gift-revoke.${gift.status === 'redeemed' ? 'redeemed' : 'ready'}`, fill }],
      run: () => gifts.withdraw(gift.id),
      after: () => ({ status: 'closed' }),
      shown: () => ({ key: 'do.gift-revoke.shown' }),
    }
  }
  const send: PlanOfAction = async ({ text }) => {
    const { gift, planned, fill } = await about(text)
    return {
      ...{ ...planned, action: 'gift-send' as const },
      says: [{ key: 'do.gift-send.says', fill }],
      run: () => gifts.sendAgain(gift.id),
      after: () => ({ to: gift.to }),
      shown: () => ({ key: 'do.gift-send.shown', fill }),
    }
  }
  const confirmed = confirmedActions(routes, deps)
  confirmed('/gifts/revoke', `${office}/gifts`, revoke)
  confirmed('/gifts/send', `${office}/gifts`, send)
}

// A refusal of the provider has the code of its error, too.
const whyOf = (reason: string | null): string | null =>
  reason?.startsWith('failed') === true ? 'failed' : reason

const pageSize = 50
