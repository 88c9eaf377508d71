import type { CoreConfig } from './schema.ts'

/** The providers that a checkout may use: the one for new checkouts first, then those that a form may name. */
export function sellersOf({
  provider: { handler, choices },
}: Pick<CoreConfig, 'provider'>): readonly string[] {
  return [...new Set([...(handler === null ? [] : [handler]), ...choices])]
}
