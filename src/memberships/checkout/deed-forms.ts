import { MembershipError } from '../../core/errors.ts'
import type { FormRequest } from '../../core/http/form-router.ts'
import { type Access, access, unverified } from '../../core/http/route-access.ts'
import type { Proration } from '../../providers/contract.ts'
import type { User, View } from '../members/index.ts'
import type { Actions, LookWish } from './actions.ts'
import type { ChangeWish } from './changing.ts'
import type { Done } from './once.ts'
import { readQuantity } from './quantity.ts'

/** The subscription that a form is about, and what its page had shown. */
export interface Target {
  readonly user: User
  readonly subscriptionId: string
  readonly shown: string | null
}

type LookDeed = LookWish['deed']
interface LookedDeed {
  readonly access: Access
  readonly wishOf: (request: FormRequest) => Promise<LookWish>
  readonly run: (wish: LookWish) => Promise<Done>
}

/** Each deed with what its form asks for, and the doing. */
export const deedsOf = (
  actions: Actions,
  {
    viewOf,
    targetOf,
  }: {
    viewOf: (ctx: FormRequest['ctx']) => Promise<View>
    targetOf: (request: FormRequest) => Promise<Target>
  },
): { readonly [K in LookDeed]: LookedDeed } => ({
  change: {
    access: access.verified,
    wishOf: async (request) => ({ deed: 'change', ...changeOf(request, await targetOf(request)) }),
    run: (wish) => actions.change(wish as ChangeWish),
  },
  cancel: {
    access: access.bought,
    wishOf: async (request) => {
      const when = request.text('when') ?? 'period_end'
      if (when !== 'period_end' && when !== 'now') throw wrong('when', 'period_end or now')
      requireBought(await viewOf(request.ctx), request.param('subscription'))
      return { deed: 'cancel', ...(await targetOf(request)), when }
    },
    run: (wish) => actions.cancel(wish as Parameters<Actions['cancel']>[0]),
  },
  pause: {
    access: access.verified,
    wishOf: async (request) => ({
      deed: 'pause',
      ...(await targetOf(request)),
      until: momentOf(request, 'until', 'a day such as 2027-01-31'),
    }),
    run: (wish) => actions.pause(wish as Parameters<Actions['pause']>[0]),
  },
  resume: {
    access: access.verified,
    wishOf: async (request) => ({ deed: 'resume', ...(await targetOf(request)) }),
    run: (wish) => actions.resume(wish),
  },
})

/** An unverified session touches nothing older than itself. @throws ERR_UNVERIFIED */
const requireBought = (view: View, subscriptionId: string): void => {
  const found = view
    .user()
    ?.subscriptions()
    .find(({ id }) => id === subscriptionId)
  if (found && !view.mayTouch(found)) throw unverified()
}

/** Reads a change from its form. @throws ERR_FORM */
export const changeOf = (request: FormRequest, target: Target): ChangeWish => {
  const proration = request.text('proration')
  if (proration !== null && !isProration(proration)) throw wrong('proration', 'now, next or none')
  return {
    ...target,
    plan: request.text('plan'),
    price: request.text('price'),
    quantity: readQuantity(request.fields.quantity),
    proration,
    prorationAt: momentOf(request, 'proration_at', 'the moment that a preview gave'),
  }
}

const momentOf = (request: FormRequest, field: string, may: string): string | null => {
  const given = request.text(field)
  if (given === null) return null
  if (Number.isNaN(Date.parse(given))) throw wrong(field, may)
  return new Date(given).toISOString()
}

const isProration = (word: string): word is Proration => word === 'now' || word === 'next' || word === 'none'

const wrong = (field: string, may: string): MembershipError =>
  new MembershipError('ERR_FORM', `The field "${field}" must be ${may}.`)
