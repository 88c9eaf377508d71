import { z } from 'zod'
import { currencyCode } from './common.ts'

/** The windows in which a limit counts anew: calendar ones in UTC, the `period` that is paid, or never (`once`). */
export const limitWindows = ['day', 'week', 'month', 'year', 'period', 'once'] as const
/** The window in which a limit counts anew. */
export type LimitWindow = (typeof limitWindows)[number]

/** The amount that a plan includes of something counted, for each window. */
export const planLimitSchema = z.strictObject({
  amount: z.number().int().nonnegative(),
  every: z.enum(limitWindows),
  /** The amount during a trial; absent where a trial has the whole amount. */
  trial: z.number().int().nonnegative().optional(),
})
/** The amount that a plan includes of something counted, for each window. */
export type PlanLimit = z.infer<typeof planLimitSchema>

/** The amount that one piece of a price adds, and the days for which it can be used. */
export const topUpSchema = z.strictObject({
  amount: z.number().int().positive(),
  /** Days from the payment on; absent where it never expires. */
  days: z.number().int().positive().optional(),
})
/** The amount that one piece of a price adds, and the days for which it can be used. */
export type TopUp = z.infer<typeof topUpSchema>

/** A price as templates see it; `amount` is in minor units, null until site or provider names it. */
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
  /** Minor units of one piece that the trial costs; 0: it is free; null: there is none, or its amount is not known. */
  trial_amount: z.number().int().nullable(),
  label: z.string().nullable(),
  /** A name for the price at the provider that outlives its id. */
  lookup_key: z.string().nullable(),
  /** Still honoured at gates, no longer sold. */
  retired: z.boolean(),
  /** The plan that it opens for so many months from when it is redeemed; absent for a price that opens its own. */
  gives: z.strictObject({ plan: z.string(), months: z.number().int() }).optional(),
  /** By limit the amount that one piece adds when it is paid; absent where it adds none. */
  adds: z.record(z.string(), topUpSchema).optional(),
})
/** A price of a plan; `amount` is in minor units, null until site or provider names it. */
export type Price = z.infer<typeof priceSchema>

/** The name and the texts of a plan in another language. */
export const planWordsSchema = z.strictObject({
  name: z.string().optional(),
  description: z.string().optional(),
  features: z.array(z.string()).optional(),
})
/** The name and the texts of a plan in another language; a text that is left out is said as everywhere. */
export type PlanWords = z.infer<typeof planWordsSchema>

/** A plan with every price that opens it; retired ones are among them. */
export const planSchema = z.strictObject({
  id: z.string(),
  provider: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  features: z.array(z.string()),
  /** The page where it is used; absent where the site does not say. */
  url: z.string().optional(),
  /** By language tag its words of the plan; absent where the site gives none. */
  words: z.record(z.string(), planWordsSchema).optional(),
  /** How many people a subscription is for: one for each piece that is paid, or a number; absent: its buyer alone. */
  seats: z.union([z.literal('quantity'), z.number().int()]).optional(),
  /** The features that it opens beside its own gate; absent where it opens none. */
  opens: z.array(z.string()).optional(),
  /** By name the amounts that it includes; absent where it counts nothing. */
  limits: z.record(z.string(), planLimitSchema).optional(),
  prices: z.array(priceSchema),
})
/** A named group of prices; holding any of them opens the plan's gate. */
export type Plan = z.infer<typeof planSchema>

/** As much of a plan as a title is made of: of now, or as it was called when something was bought. */
export interface TitledPlan extends Pick<Plan, 'id' | 'name' | 'words'> {
  readonly prices: readonly Pick<Price, 'id' | 'type' | 'interval' | 'interval_count'>[]
}

/** The group in which a member holds one plan at a time, and has one trial: the plan itself where none is named. Of
 *  several providers, groups of one name are one group. */
export const groupOf = ({ group, id }: { readonly group?: string | null; readonly id: string }): string =>
  group ?? id

/** A price that is paid once, and what buys the same at other providers: the one price of a plan, and the one price of the
 *  plan of that name there. Pure. */
export const sameOnce = (price: Price, plans: readonly Plan[]): readonly string[] => {
  const single = plans
    .filter(({ id, prices }) => id === price.plan && prices.length === 1)
    .flatMap(({ prices }) => prices)
    .filter(({ type, retired }) => type === 'one_time' || retired)
    .map(({ id }) => id)
  return single.includes(price.id) ? single : [price.id]
}
