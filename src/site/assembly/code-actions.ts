import type { PriceId } from '../../core/register.ts'
import type { Actions } from '../../memberships/checkout/index.ts'
import type { Proration } from '../../providers/contract.ts'
import type { AskingRoom, Who } from './asking.ts'

/** What the member was shown before, by `lookAt`; without it nothing is compared. */
export type Shown = { readonly shown?: string | null }

/** Whose subscription. */
export type Own = Who & { readonly subscriptionId: string }

/** What it is to become; nothing said keeps it. */
export type ChangeTo = Own & {
  readonly plan?: string | null
  readonly price?: PriceId | null
  readonly quantity?: number | null
  readonly proration?: Proration | null
  /** The moment of the preview that was shown. */
  readonly prorationAt?: string | null
} & Shown

/** The actions of members for code on any host. Of a `request` the session counts as on our own routes; of a `user` the
 *  code vouches for what it does. */
export const actionsForCode = (
  actions: Actions,
  { member }: Pick<AskingRoom, 'member'>,
  publicUrl: () => string,
) => {
  const owned = async (own: Own, needs: 'verified' | 'unverified' = 'verified') => {
    const { subscriptionId } = own
    return { user: await member(own, needs, subscriptionId), subscriptionId }
  }
  const changeOf = async (wish: ChangeTo) => ({
    ...(await owned(wish)),
    plan: wish.plan ?? null,
    price: wish.price ?? null,
    quantity: wish.quantity ?? null,
    proration: wish.proration ?? null,
    prorationAt: wish.prorationAt ?? null,
    shown: wish.shown,
  })
  return {
    ...actions,
    /** Another price or quantity, by the site's rules. */
    change: async (wish: ChangeTo) => actions.change(await changeOf(wish)),
    /** What that costs, and when it counts. */
    preview: async (wish: ChangeTo) => actions.preview(await changeOf(wish)),
    /** At the end of what is paid unless told otherwise. */
    cancel: async (wish: Own & Shown & { readonly when?: 'period_end' | 'now' }) =>
      actions.cancel({
        ...(await owned(wish, 'unverified')),
        when: wish.when ?? 'period_end',
        shown: wish.shown,
      }),
    resume: async (wish: Own & Shown) => actions.resume({ ...(await owned(wish)), shown: wish.shown }),
    renew: async (wish: Own & Shown) => actions.renew({ ...(await owned(wish)), shown: wish.shown }),
    pause: async (wish: Own & Shown & { readonly until?: string | null }) =>
      actions.pause({ ...(await owned(wish)), until: wish.until ?? null, shown: wish.shown }),
    /** The provider's page for cards and invoices. */
    portal: async (
      wish: Who & {
        readonly provider?: string | null
        readonly subscriptionId?: string | null
        readonly returnUrl?: string
        readonly localUrl?: string
      },
    ) => {
      const returnUrl = wish.returnUrl ?? publicUrl()
      return actions.portal({
        user: await member(wish, 'verified', wish.subscriptionId),
        provider: wish.provider ?? null,
        subscriptionId: wish.subscriptionId ?? null,
        returnUrl,
        localUrl: wish.localUrl ?? new URL(returnUrl).origin,
      })
    },
  }
}
export type ActionsForCode = ReturnType<typeof actionsForCode>
