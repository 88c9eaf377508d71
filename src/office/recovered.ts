import type { PaymentData } from '../core/dto/index.ts'
import type { Storage } from '../core/storage/index.ts'
import { walkOverdue } from './walking-statements.ts'

/**
 * Finds the payments that came after all: of each time that a membership was overdue, the first of its payments that was
 * paid afterwards. Each counts once, however often it had failed before. `T` is what is kept of a payment meanwhile.
 */
export const createRecovered = async <T>(storage: Pick<Storage, 'read'>) => {
  const overdue = new Map<string, string[]>()
  await walkOverdue(storage, ({ at, ...row }) => {
    const key = keyOf(row.provider, row.account, row.subscription_id)
    const own = overdue.get(key) ?? []
    own.push(at)
    overdue.set(key, own)
  })
  const paid = new Map<string, { readonly at: string; readonly what: T }[]>()

  return {
    /** True if anything was overdue at all. */
    isAny: overdue.size > 0,
    /** Every payment is shown, in any order. */
    take: ({ provider, account, subscription_id, paid_at: at, amount }: PaymentData, what: T): void => {
      if (subscription_id === null || at === null || amount <= 0) return
      const key = keyOf(provider, account, subscription_id)
      if (!overdue.has(key)) return
      const own = paid.get(key) ?? []
      own.push({ at, what })
      paid.set(key, own)
    },
    /** Those that came after all, with the moment at which they were paid. */
    all: (): { readonly at: string; readonly what: T }[] =>
      [...paid].flatMap(([key, own]) => {
        const inOrder = own.sort((a, b) => (a.at < b.at ? -1 : 1))
        const first = overdue.get(key)!.map((failed) => inOrder.find(({ at }) => at > failed))
        return [...new Set(first)].filter((item) => item !== undefined)
      }),
  }
}

const keyOf = (...parts: readonly string[]): string => parts.join('\u0000')
