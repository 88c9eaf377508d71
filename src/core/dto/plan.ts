import { z } from 'zod'
import type { Names, RegisteredNames } from '../register.ts'
import { limitWindows } from './common.ts'
import { currencyCode, isoTime } from './schema-parts.ts'

/** The window after which a limit counts from zero. */
export type LimitWindow = (typeof limitWindows)[number]

/** The included amount of a limit in each window. */
export const planLimitSchema = z.strictObject({
  amount: z.number().int().nonnegative(),
  every: z.enum(limitWindows),
  /** The amount during a trial; absent where a trial includes the full amount. */
  trial: z.number().int().nonnegative().optional(),
  /** True where all seats of a subscription take from one amount; absent where each person has the whole amount. */
  shared: z.boolean().optional(),
})
/** The included amount of a limit in each window. */
export type PlanLimit = z.infer<typeof planLimitSchema>

/** The amount that one piece of a price adds, and the days for which it is valid. */
export const topUpSchema = z.strictObject({
  amount: z.number().int().positive(),
  /** Days from the payment on; absent without an expiry. */
  days: z.number().int().positive().optional(),
})
/** The amount that one piece of a price adds, and the days for which it is valid. */
export type TopUp = z.infer<typeof topUpSchema>

/** The amounts between which a buyer chooses, in minor units, both ends included. */
export const chosenRangeSchema = z.strictObject({
  min: z.number().int().positive(),
  /** The amounts that forms offer, in this order. */
  suggested: z.array(z.number().int().positive()),
  max: z.number().int().positive(),
})
/** The amounts between which a buyer chooses, in minor units, both ends included. */
export type ChosenRange = z.infer<typeof chosenRangeSchema>

/** A price for templates. `amount` is in minor units; null until the site or the provider sets it. */
export const priceSchema = z.strictObject({
  id: z.string(),
  plan: z.string(),
  provider: z.string(),
  type: z.enum(['recurring', 'one_time']),
  currency: currencyCode.nullable(),
  /** Minor units. */
  amount: z.number().int().nullable(),
  interval: z.enum(['day', 'week', 'month', 'year']).nullable(),
  interval_count: z.number().int().nullable(),
  trial_days: z.number().int().nullable(),
  /** The trial's cost per piece in minor units; 0 if it is free, null without a trial or while its cost is unknown. */
  trial_amount: z.number().int().nullable(),
  label: z.string().nullable(),
  /** A name of the price at the provider that outlives its id. */
  lookup_key: z.string().nullable(),
  /** Still opens its gates, but is no longer sold. */
  retired: z.boolean(),
  /** The plan that redeeming it opens for some months; absent for a price that opens its own plan. */
  gives: z.strictObject({ plan: z.string(), months: z.number().int() }).optional(),
  /** The amount that one paid piece adds to each limit; absent where it adds none. */
  adds: z.record(z.string(), topUpSchema).optional(),
  /** The lowest amount of the 30 days before a sale, in minor units; absent without a sale, or if it was never higher. */
  was: z.number().int().optional(),
  /** When the sale ends; absent for one without a planned end. */
  until: isoTime.optional(),
  /** Prices whose members a price raise moves to this one. It opens every gate that names them; absent without a raise. */
  replaces: z.array(z.string()).optional(),
  /** The price that is not sold while this sale runs. */
  stands_for: z.string().optional(),
  /** The range of an amount that each buyer chooses; absent for a price with one amount. */
  choose: chosenRangeSchema.optional(),
})
/** A price of a plan. `amount` is in minor units; null until the site or the provider sets it. */
export type Price = z.infer<typeof priceSchema>

/** A plan's name and texts in another language. */
export const planWordsSchema = z.strictObject({
  name: z.string().optional(),
  description: z.string().optional(),
  lines: z.array(z.string()).optional(),
  /** @deprecated The former name of `lines`; it goes in 3.0. */
  features: z.array(z.string()).optional(),
})
/** A plan's name and texts in another language. A missing text falls back to the default one. */
export type PlanWords = z.infer<typeof planWordsSchema>

/** A plan with every price that opens it, retired ones included. */
export const planSchema = z.strictObject({
  id: z.string(),
  provider: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  /** The texts that a pricing page lists. `opens` has what the plan opens. */
  lines: z.array(z.string()),
  /** @deprecated The former name of `lines`; it goes in 3.0. */
  features: z.array(z.string()),
  /** The page where the plan is used; absent if not configured. */
  url: z.string().optional(),
  /** By language tag: the plan's texts; absent if not configured. */
  words: z.record(z.string(), planWordsSchema).optional(),
  /**
   * The number of people a subscription covers: `quantity` for one per paid piece, or a number; absent for the buyer
   * alone.
   */
  seats: z.union([z.literal('quantity'), z.number().int()]).optional(),
  /** The quantity that one buyer may have, both ends included; absent for a plan that is sold once to each. */
  quantity: z.strictObject({ min: z.number().int(), max: z.number().int() }).optional(),
  /** The plan that the site recommends; absent for the others. */
  recommended: z.boolean().optional(),
  /** The features that it opens in addition to its own gate; absent without any. */
  opens: z.array(z.string()).optional(),
  /** By limit: the included amount; absent without limits. */
  limits: z.record(z.string(), planLimitSchema).optional(),
  prices: z.array(priceSchema),
})
/** A named group of prices. Holding any of them opens the plan's gate. */
export type Plan = z.infer<typeof planSchema>

/** A plan whose id, features and price ids are the site's names. */
export type NamedPlan<N extends Names = RegisteredNames> = Omit<Plan, 'id' | 'opens' | 'prices'> & {
  id: N['plans']
  opens?: N['features'][] | undefined
  prices: (Omit<Price, 'id' | 'plan'> & { id: N['prices']; plan: N['plans'] })[]
}

/** The parts of a plan that make its title, now or at the time of purchase. */
export interface TitledPlan extends Pick<Plan, 'id' | 'name' | 'words'> {
  readonly prices: readonly (Pick<Price, 'id' | 'type' | 'interval' | 'interval_count'> &
    Partial<Pick<Price, 'gives' | 'adds' | 'label' | 'amount' | 'currency' | 'provider' | 'choose'>> &
    Partial<Pick<Price, 'retired' | 'stands_for' | 'replaces'>>)[]
}
