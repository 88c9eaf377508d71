import type { FileImported } from '../memberships/import/import-file.ts'
import type { ProviderImported } from '../memberships/import/import-provider.ts'
import { columns, counted } from './site.ts'

/** The report of a provider's import, for people. */
export const takenOverLines = (result: ProviderImported): string[] => {
  const { written, isWhole, checked, brought, matched, made, unmatched } = result
  const rows = unmatched.map((entry) => [
    reasons[entry.reason],
    entry.provider,
    entry.owner,
    entry.email ?? '-',
    entry.living === 0 ? '' : counted(entry.living, 'running subscription'),
  ])
  return [
    ...(rows.length === 0 ? [] : [...columns(rows), '']),
    `${counted(checked, 'object')} looked at; ${counted(brought.customers, 'customer')}, ${counted(brought.subscriptions, 'subscription')} and ${counted(brought.money, 'object')} of payments ${written ? 'were' : 'would be'} brought in.`,
    `${counted(matched, 'buyer')} ${written ? 'with' : 'would have'} an account, ${made} of them made by their purchase; ${unmatched.length} ${written ? 'wait' : 'would wait'} for one.`,
    ...(isWhole ? [] : ['It was stopped: of the rest nothing is known. The same command goes on there.']),
    ...(written ? [] : ['Nothing was written: --write does it.']),
  ]
}

/** The report of a file's import, for people. */
export const importedLines = ({
  written,
  rows,
  created,
  granted,
  unchanged,
  refused,
}: FileImported): string[] => [
  ...(refused.length === 0
    ? []
    : [...columns(refused.map((row) => [`line ${row.line}`, row.email ?? '-', row.reason])), '']),
  `${counted(rows, 'row')}: ${counted(created, 'account')} ${written ? 'made' : 'would be made'}, access ${written ? 'given' : 'would be given'} by ${granted}, ${unchanged} with nothing new, ${refused.length} refused.`,
  ...(written ? [] : ['Nothing was written: --write does it.']),
]

const reasons = {
  no_address: 'no address at the provider',
  address_unproved: 'an account has the address, unproved',
  second_customer: 'another customer of this address was first',
  no_account: 'nobody has the address',
  left: 'of an account that was deleted',
} as const
