import type { Charge, FakeServer, Invoice } from '../../src/fakes/engine/index.ts'
import type { Membership } from '../../src/index.ts'
import { heldBy } from './held.ts'
import { costs } from './sellers.ts'
import type { Buyer, Year } from './year-site.ts'

/** What the money that stayed with a site is behind. */
export type Behind = 'an open gate' | 'a used-up period' | 'a note'

/**
 * Sorts the kept money of everybody by what it is behind, and lists what is behind nothing. A year in which
 * nobody pays after the end has no note.
 */
export async function sortKeptMoney(years: readonly Year[]) {
  const behind = new Map<Behind, number>()
  const broken: string[] = []
  for (const year of years) {
    for (const buyer of year.buyers)
      for (const [charge, what] of await keptBy(year, buyer)) {
        if (what === null)
          broken.push(`${year.seller.key}: ${charge.id} of ${buyer.email} was kept, and is behind nothing`)
        else behind.set(what, (behind.get(what) ?? 0) + 1)
      }
  }
  const notes = await notesOf(years[0]!.m)
  const wanted = behind.get('a note') ?? 0
  if (notes.length !== wanted)
    broken.push(
      `${wanted} payments came after the end and opened nothing; noted: ${notes.join(', ') || 'none'}`,
    )
  return { behind: behind.set('a note', notes.length), broken }
}

/** Lists the payments of which the operator is told that they opened nothing. */
export async function notesOf({ storage }: Pick<Membership, 'storage'>): Promise<readonly string[]> {
  const rows = await storage.read<{ key: string }>((db) =>
    db.selectFrom('documents').select('key').where('space', '=', 'unused-money'),
  )
  return rows.map(({ key }) => key)
}

/** A buyer's charges whose money stayed, each with what it is behind by the provider's books; null for nothing. */
async function keptBy(year: Year, buyer: Buyer): Promise<readonly (readonly [Charge, Behind | null])[]> {
  const { m, fake } = year
  const user = await m.users.findByEmail(buyer.email)
  const isOpen = (...gates: string[]): boolean => gates.some((gate) => user?.hasGate(gate as never) === true)
  const { charges, subscriptions } = heldBy(year, buyer)
  const now = fake.now().getTime() / 1000
  return charges
    .filter((charge) => isKept(fake, charge))
    .map((charge) => {
      const { payment, created } = charge
      const page = fake.books.list('checkout').find((checkout) => checkout.payment === payment)
      if (page?.mode === 'payment' && page.subtotal === costs.book)
        return [charge, isOpen('book') ? 'an open gate' : null]
      const bill = fake.books.list('invoice').find((invoice) => invoice.payment === payment)
      const until = untilOf(bill, created)
      const ends = subscriptions
        .filter(({ id }) => bill === undefined || id === bill.subscription)
        .flatMap(({ ended_at }) => ended_at ?? [])
      // What is paid within minutes of the end was paid before it.
      const isLate = bill !== undefined && ends.some((end) => created > end + 300)
      if (isLate && created >= until) return [charge, isOpen('pro', 'team') ? 'an open gate' : 'a note']
      if (until <= now) return [charge, 'a used-up period']
      if (isOpen('pro', 'team')) return [charge, 'an open gate']
      // Whoever ends a membership at once gives up the rest.
      return [charge, ends.some((end) => end >= created) ? 'a used-up period' : null]
    })
}

function isKept({ books }: FakeServer, { id, status, amount, refunded }: Charge): boolean {
  return (
    status === 'paid' &&
    refunded < amount &&
    books.list('dispute').every((dispute) => dispute.charge !== id || dispute.status === 'won')
  )
}

// Some sites begin what a first payment paid for themselves, for a month.
function untilOf(bill: Invoice | undefined, created: number): number {
  return bill === undefined ? created + 31 * 86_400 : Math.max(...bill.lines.map(({ period }) => period.end))
}
