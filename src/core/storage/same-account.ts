import type { ExpressionBuilder, JoinBuilder, StringReference } from 'kysely'

// The ids of a provider are unique within one account, so whatever finds a row by one names the account, too.

/** Joins only rows of the same account. */
export function sameAccount<DB, TB extends keyof DB & string>(
  join: JoinBuilder<DB, TB>,
  left: TB,
  right: TB,
): JoinBuilder<DB, TB> {
  const column = (table: TB, name: string) => `${table}.${name}` as StringReference<DB, TB>
  return join
    .onRef(column(left, 'provider'), '=', column(right, 'provider'))
    .onRef(column(left, 'account'), '=', column(right, 'account'))
}

/** Finds only rows of this account. */
export function inAccount({ provider, account }: { readonly provider: string; readonly account: string }) {
  return <DB, TB extends keyof DB>(eb: ExpressionBuilder<DB, TB>) =>
    eb.and([
      eb('provider' as StringReference<DB, TB>, '=', provider as never),
      eb('account' as StringReference<DB, TB>, '=', account as never),
    ])
}
