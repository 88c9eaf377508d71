import type Stripe from 'stripe'
import type { WholeList } from '../api.ts'
import { type Json, obj } from '../narrow.ts'
import type { StripeKind } from './facts.ts'
import type { StripeObjects } from './payload.ts'

/**
 * Returns true if a list is cut: Stripe shows its first ten entries with the object, and that there are more.
 * https://docs.stripe.com/api/pagination
 */
export function isCut(value: unknown): boolean {
  return obj(value).has_more === true
}

/** One page of a list. https://docs.stripe.com/api/pagination */
export interface Part {
  readonly limit: number
  readonly starting_after?: string
}

/** Reads every page of a list. `what` names it in the error. */
export type AskAll = <T = unknown>(
  what: string,
  page: (api: Stripe, part: Part) => Promise<object>,
) => Promise<WholeList<T>>

type Page = (api: Stripe, id: string, part: Part) => Promise<object>

const pages: { readonly [K in StripeKind]?: { readonly [F in keyof StripeObjects[K]]?: Page } } = {
  subscription: {
    items: (api, subscription, part) => api.subscriptionItems.list({ subscription, ...part }),
  },
  invoice: {
    lines: (api, id, part) => api.invoices.listLineItems(id, part),
    payments: (api, invoice, part) => api.invoicePayments.list({ invoice, ...part }),
  },
  checkout: { line_items: (api, id, part) => api.checkout.sessions.listLineItems(id, part) },
  charge: { refunds: (api, charge, part) => api.refunds.list({ charge, ...part }) },
}

/** Returns true if the object shows only the beginning of a list that is stored. */
export function isExcerpt(kind: StripeKind, raw: object): boolean {
  for (const key in pages[kind]) if (isCut((raw as Json)[key])) return true
  return false
}

/** Returns the object with complete lists. @throws as `ask` */
export async function withWholeLists<K extends StripeKind>(
  askAll: AskAll,
  kind: K,
  given: StripeObjects[K],
): Promise<StripeObjects[K]> {
  const plain: Json = given
  const whole: Record<string, unknown> = { ...plain }
  for (const [key, page] of Object.entries((pages[kind] ?? {}) as Readonly<Record<string, Page>>)) {
    if (!isCut(plain[key])) continue
    const id = String(plain.id)
    const { all } = await askAll(`${key} of ${kind} ${id}`, (api, part) => page(api, id, part))
    whole[key] = { ...obj(plain[key]), data: all, has_more: false }
  }
  return whole as StripeObjects[K]
}
