import { Command, InvalidArgumentError } from 'commander'
import type { Assignment } from '../memberships/sync/index.ts'
import { type Common, common, nameOf, withName } from './flags.ts'
import { columns, print, shortTime } from './output.ts'
import { moneyOf, withSite } from './site.ts'

interface AssignFlags extends Common {
  as: 'one-time' | `subscription:${string}`
  price?: string
  member?: string
  provider?: string
  by?: string
}

/** `membership payments …` */
export function paymentsCommand(): Command {
  return new Command('payments')
    .addHelpText(
      'after',
      '\nExamples:\n  membership payments list\n  membership payments assign pi_123 --as one-time --price price_book' +
        '\n  membership payments assign pi_123 --as subscription:sub_123',
    )
    .addCommand(listCommand())
    .addCommand(assignCommand())
}

function listCommand(): Command {
  return common(
    new Command('list').description('List payments that wait to be assigned, oldest first.'),
  ).action(async (flags: Common) => {
    const { payments, money } = await withSite(flags, async (m) => ({
      payments: await m.payments.unassigned(),
      money: await moneyOf(flags, m),
    }))
    const lines = columns(
      payments.map((p) => [
        p.id,
        p.provider,
        `paid ${shortTime(p.paid_at ?? p.updated_at)}`,
        money(p.amount, p),
        p.customer_id ?? 'no customer',
      ]),
    )
    print(flags, payments, lines.length === 0 ? ['Nothing waits to be assigned.'] : lines)
  })
}

function assignCommand(): Command {
  return withName(
    common(
      new Command('assign')
        .description('Assign a payment to a subscription or a one-time purchase.')
        .argument('<id>', 'the payment')
        .requiredOption('--as <what>', 'one-time, or subscription:ID', whatFor),
    ),
  )
    .option('--price <id>', 'what was bought once, where the payment does not say')
    .option('--member <id>', 'whose it is, where it is nobody’s')
    .option('--provider <key>', 'where several providers have a payment of that id')
    .addHelpText(
      'after',
      '\nThe payment keeps who assigned it, and when. Run it again to change it. Facts from the provider,' +
        '\nnow or later, take precedence.' +
        '\n\nExamples:\n  membership payments assign pi_123 --as one-time --price price_book' +
        '\n  membership payments assign pi_123 --as subscription:sub_123 --json',
    )
    .action(async (id: string, { as, price, member, provider, by, ...flags }: AssignFlags) => {
      const assignment: Assignment = {
        ...withoutAbsent({ id, member, provider, by: nameOf({ by }) }),
        ...(as === 'one-time'
          ? { one_time: price ?? true }
          : { subscription: as.slice('subscription:'.length) }),
      }
      const payment = await withSite(flags, async (m) => {
        const [payer] = (await m.users.list({ q: id })).members
        return m.operator.audit.during(
          { by: assignment.by, action: 'assign', memberId: member ?? payer?.id ?? null, subject: id },
          () => m.payments.assign(assignment),
          ({ purpose, price_id, subscription_id }) => ({ purpose, price_id, subscription_id }),
        )
      })
      print(flags, payment, [
        payment.purpose === 'one_time'
          ? `${payment.id} was bought once: ${payment.price_id ?? 'nobody knows what, so it opens nothing (--price)'}.`
          : `${payment.id} belongs to the subscription ${payment.subscription_id}.`,
      ])
    })
}

function whatFor(given: string): AssignFlags['as'] {
  if (given === 'one-time') return given
  if (/^subscription:./.test(given)) return given as AssignFlags['as']
  throw new InvalidArgumentError('Say one-time, or subscription: with its id.')
}

function withoutAbsent<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never
}
