import { type Check, found, ok, some } from './check.ts'
import { doctorQueries, type Readable } from './statements.ts'

/** Checks for members who are several customers in one account of a provider. */
export async function checkCustomers(storage: Readable): Promise<Check> {
  const customers = new Map<string, string[]>()
  for (const row of await customersOfBusy(storage)) {
    if (row.guest === 1 || row.deleted === 1) continue
    const key = JSON.stringify([row.member_id, row.provider, row.account])
    customers.set(key, [...(customers.get(key) ?? []), row.customer_id])
  }
  const several = [...customers].filter(([, ids]) => ids.length > 1)
  return several.length === 0
    ? ok('several-customers', 'Every member is one customer.')
    : found(
        'warning',
        'several-customers',
        `${several.length === 1 ? '1 member is' : `${several.length} members are`} several customers of one provider: ${some(several.map(([key, ids]) => `${(JSON.parse(key) as string[])[0]} (${ids.sort().join(', ')})`))}.`,
        'Payment links make a new customer each time: begin checkouts on this site. Names and addresses go to all of them, and each subscription keeps the page for its own cards and invoices; nothing is lost.',
      )
}

/** Lists the customers of members with more than one, at one provider or several. */
export async function customersOfBusy(storage: Readable) {
  const members = (await doctorQueries.busyMembers(storage)).flatMap(({ member_id }) => member_id ?? [])
  const rows: Awaited<ReturnType<typeof doctorQueries.customersOf>> = []
  // Databases limit the number of parameters.
  for (let i = 0; i < members.length; i += 100)
    rows.push(...(await doctorQueries.customersOf(storage, members.slice(i, i + 100))))
  return rows
}
