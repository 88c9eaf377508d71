import { type Plan, titleOf } from '../core/dto/index.ts'
import type { Storage } from '../core/storage/index.ts'
import { type Gift, type GiftStatus, type GiftsService, stateIn } from '../memberships/gifts/index.ts'
import type { Group, GroupSeat, GroupsService } from '../memberships/groups/index.ts'
import { openStates, type Raise, type Raises } from '../memberships/raises/index.ts'
import { notThere } from './action-subjects.ts'
import { confirmedActions, type Doing, type Plan as PlanOfAction, queryText } from './confirming.ts'
import { offerLists } from './offer-statements.ts'
import type { Pages } from './pages.ts'
import { type OfficeRoutes, office } from './routes.ts'

/** Routes for gifts, groups and price raises: who is concerned, and what an operator may do about a gift or a raise. */
export function offerRoutes(
  routes: OfficeRoutes,
  deps: {
    pages: Pages
    doing: Doing
    randomId: () => string
    storage: Pick<Storage, 'read'>
    gifts: Pick<GiftsService, 'find' | 'sendAgain' | 'withdraw' | 'release' | 'giveAgain'>
    groups: Pick<GroupsService, 'show' | 'invite' | 'settleLost'>
    raises: Pick<Raises, 'list' | 'show' | 'members' | 'stop' | 'resume' | 'undo'>
    plans: () => readonly Plan[]
  },
): void {
  const { pages, gifts, groups, raises, plans } = deps
  const lists = offerLists(deps.storage)
  const nameOf = (plan: string | null): string => plans().find(({ id }) => id === plan)?.name ?? plan ?? ''

  routes.page('/gifts', async ({ ctx, who }) => {
    const isHeld = queryText(ctx, 'held') !== null
    const found = await lists.gifts(queryText(ctx, 'before'), { limit: pageSize + 1, isHeld })
    const rows = found.slice(0, pageSize).map((gift) => ({
      ...gift,
      name: nameOf(gift.plan),
      state: stateIn({ ...gift, status: gift.status as GiftStatus }),
      mayRevoke: gift.status !== 'closed' && gift.status !== 'ordered',
      maySend: gift.status === 'ready' && gift.to_email !== null && gift.held_at === null,
      mayRelease: gift.status === 'ready' && gift.held_at !== null,
      // Its order is lost, so nobody knows for whom it was.
      mayGive: gift.status === 'ready' && gift.held_at !== null && gift.code_hash === null,
    }))
    const next = found.length > pageSize ? (rows.at(-1)?.id ?? null) : null
    pages.show(ctx, who, 'gifts', { rows, next, isHeld })
  })

  routes.page('/groups', async ({ ctx, who }) => {
    const isLost = queryText(ctx, 'lost') !== null
    const found = await lists.groups(queryText(ctx, 'after'), { limit: pageSize + 1, isLost })
    const rows = await Promise.all(
      found.slice(0, pageSize).map(async (row) => ({ ...row, ...(await shown(row.subscription_id)) })),
    )
    const next = found.length > pageSize ? (rows.at(-1)?.subscription_id ?? null) : null
    pages.show(ctx, who, 'groups', { rows, next, isLost })
  })

  routes.page('/raises', async ({ ctx, who }) => {
    const listed = await Promise.all(
      (await raises.list()).map(async (raise) => {
        const found = await raises.members(raise.id, { account: '', subscription_id: '' }, pageSize + 1)
        const rows = found.slice(0, pageSize).map((row) => ({ ...row, why: whyOf(row.reason) }))
        return {
          ...raise,
          rows,
          more: found.length > pageSize,
          ...pricesOf(raise),
          may: (['stop', 'resume', 'undo'] as const).filter((does) =>
            statusBefore[does].includes(raise.status),
          ),
        }
      }),
    )
    pages.show(ctx, who, 'raises', { raises: listed })
  })

  const pricesOf = ({ from_price, to_price }: Pick<Raise, 'from_price' | 'to_price'>) => ({
    from: titleOf(from_price, plans()),
    to: `${titleOf(to_price, plans())} (${to_price})`,
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
      lost_at: group?.lost_at ?? null,
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
      ...planned,
      action: 'gift-revoke' as const,
      says: [{ key: `do.gift-revoke.${gift.status === 'redeemed' ? 'redeemed' : 'ready'}`, fill }],
      run: () => gifts.withdraw(gift.id),
      after: () => ({ status: 'closed' }),
      shown: () => ({ key: 'do.gift-revoke.shown' }),
    }
  }
  const send: PlanOfAction = async ({ text }) => {
    const { gift, planned, fill } = await about(text)
    return {
      ...planned,
      action: 'gift-send' as const,
      says: [{ key: 'do.gift-send.says', fill }],
      run: () => gifts.sendAgain(gift.id),
      after: () => ({ to: gift.to }),
      shown: () => ({ key: 'do.gift-send.shown', fill }),
    }
  }
  const release: PlanOfAction = async ({ text }) => {
    const { gift, planned, fill } = await about(text)
    return {
      ...planned,
      action: 'gift-release' as const,
      says: [{ key: 'do.gift-release.says', fill }],
      run: () => gifts.release(gift.id),
      after: (after) => ({ status: (after as Gift).status }),
      shown: () => ({ key: 'do.gift-release.shown' }),
    }
  }
  const giveAgain: PlanOfAction = async ({ text }) => {
    const { gift, planned, fill } = await about(text)
    const to = text('to') ?? ''
    return {
      ...planned,
      action: 'gift-again' as const,
      fields: { ...planned.fields, to },
      says: [{ key: to === '' ? 'do.gift-again.by_hand' : 'do.gift-again.says', fill: { ...fill, to } }],
      run: () => gifts.giveAgain(gift.id, to === '' ? null : to),
      after: () => ({ to: to === '' ? null : to }),
      shown: () => ({ key: 'do.gift-again.shown' }),
    }
  }
  const inGroup = async (text: (name: string) => string | null) => {
    const group = await groups.show(text('group') ?? '')
    const { subscription_id: id, owner_id: memberId } = group
    return {
      id,
      planned: { memberId, subject: `subscription ${id}`, fields: { group: id } },
      fill: { plan: nameOf(group.plan) },
    }
  }
  const inviteAgain: PlanOfAction = async ({ text }) => {
    const { id, planned, fill } = await inGroup(text)
    const email = text('email') ?? ''
    return {
      ...planned,
      action: 'group-invite' as const,
      fields: { ...planned.fields, email },
      says: [{ key: 'do.group-invite.says', fill: { ...fill, to: email } }],
      run: () => groups.invite({ subscriptionId: id, email }),
      // The address is another person's: a deletion would not find it in the log.
      after: (seat) => ({ seat: (seat as GroupSeat).id }),
      shown: () => ({ key: 'do.group-invite.shown', fill: { to: email } }),
    }
  }
  const checked: PlanOfAction = async ({ text }) => {
    const { id, planned, fill } = await inGroup(text)
    return {
      ...planned,
      action: 'group-checked' as const,
      says: [{ key: 'do.group-checked.says', fill }],
      run: () => groups.settleLost(id),
      shown: () => ({ key: 'do.group-checked.shown' }),
    }
  }
  const turn =
    (does: 'stop' | 'resume' | 'undo'): PlanOfAction =>
    async ({ text }) => {
      const id = text('raise')
      if (id === null) throw notThere('raise', id)
      const raise = await raises.show(id)
      const { status, states } = raise
      const open = openStates.reduce((count, state) => count + (states[state] ?? 0), 0)
      return {
        action: `raise-${does}` as const,
        memberId: null,
        subject: `raise ${raise.id}`,
        before: { status },
        fields: { raise: raise.id },
        says: [{ key: `do.raise-${does}.says`, fill: { ...pricesOf(raise), count: open } }],
        run: () => raises[does](raise.id),
        after: (after) => ({ status: (after as Raise).status }),
        shown: () => ({ key: `do.raise-${does}.shown` }),
      }
    }
  const confirmed = confirmedActions(routes, deps)
  confirmed('/gifts/revoke', `${office}/gifts`, revoke)
  confirmed('/gifts/send', `${office}/gifts`, send)
  confirmed('/gifts/release', `${office}/gifts?held=1`, release)
  confirmed('/gifts/again', `${office}/gifts?held=1`, giveAgain)
  confirmed('/groups/invite', `${office}/groups?lost=1`, inviteAgain)
  confirmed('/groups/checked', `${office}/groups?lost=1`, checked)
  for (const does of ['stop', 'resume', 'undo'] as const)
    confirmed(`/raises/${does}`, `${office}/raises`, turn(does))
}

/** The states in which a raise can be turned. */
const statusBefore = { stop: ['running'], resume: ['stopped'], undo: ['running', 'stopped'] }

// A refusal of the provider has the code of its error, too.
function whyOf(reason: string | null): string | null {
  return reason?.startsWith('failed') === true ? 'failed' : reason
}

const pageSize = 50
