import { Command, InvalidArgumentError } from 'commander'
import type { Payment } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { User } from '../memberships/members/index.ts'
import { memberOf } from './members-look.ts'
import { type Common, common, countUpTo, print, shortTime, withSite } from './site.ts'

interface GrantFlags extends Common {
  until?: Date
  reason?: string
}

/** `membership members grant` */
export const grantCommand = (): Command =>
  common(
    new Command('grant')
      .description('Give a member access by hand.')
      .argument('<member>', 'an id or an address')
      .argument('<gate>', 'a plan or a price'),
  )
    .option('--until <date>', 'when it ends; for ever unless given', dateOf)
    .option('--reason <text>', 'why, for whoever looks later')
    .addHelpText(
      'after',
      '\nExample:\n  membership members grant ann@example.com pro --until 2027-01-01 --reason "prize"',
    )
    .action(async (given: string, gate: string, { until, reason, ...flags }: GrantFlags) => {
      const granted = await withSite(flags, async (m) => {
        if (!m.plans().some((plan) => plan.id === gate || plan.prices.some(({ id }) => id === gate)))
          throw new MembershipError('ERR_PLAN_UNKNOWN', `No plan and no price is called "${gate}".`, {
            action: `Name one of: ${m
              .plans()
              .map(({ id }) => id)
              .join(', ')}.`,
          })
        const { id } = await memberOf(m, given)
        const grant = await m.users.grant({ memberId: id, gate, reason, expiresAt: until })
        return { member_id: id, grant, gate, until: until?.toISOString() ?? null }
      })
      const end = granted.until === null ? 'for ever' : `until ${shortTime(granted.until)}`
      print(flags, granted, [
        `${gate} is open for ${given} ${end}.`,
        `→ membership members revoke ${granted.grant} takes it back.`,
      ])
    })

/** `membership members revoke` */
export const revokeCommand = (): Command =>
  common(
    new Command('revoke')
      .description('Take back what was given by hand.')
      .argument('<grant>', 'the id that `grant` and `show` print'),
  ).action(async (grant: string, flags: Common) => {
    await withSite(flags, (m) => m.users.revoke(grant))
    print(flags, { grant, revoked: true }, [`${grant} opens nothing any more.`])
  })

/** `membership members cancel` */
export const cancelCommand = (): Command =>
  common(
    new Command('cancel')
      .description('Cancel a subscription at its provider: at the end of what is paid, or now.')
      .argument('<member>', 'an id or an address')
      .argument('<subscription>', 'its id'),
  )
    .option('--now', 'at once; money is not given back by it')
    .action(async (given: string, subscriptionId: string, { now, ...flags }: Common & { now?: boolean }) => {
      const { subscription } = await withSite(flags, async (m) =>
        m.actions.cancel({
          user: await memberOf(m, given),
          subscriptionId,
          when: now ? 'now' : 'period_end',
        }),
      )
      const end = subscription.ended_at ?? subscription.cancel_at ?? subscription.current_period_end
      print(flags, subscription, [`${subscription.id} is ${subscription.status}; it ends ${shortTime(end)}.`])
    })

interface RefundFlags extends Common {
  amount?: number
}

/** `membership members refund` */
export const refundCommand = (): Command =>
  common(
    new Command('refund')
      .description('Give money back: all that is left of a payment, or a part.')
      .argument('<member>', 'an id or an address')
      .argument('<payment>', 'its id'),
  )
    .option('--amount <minor>', 'in minor units, such as cents', countUpTo(Number.MAX_SAFE_INTEGER))
    .addHelpText('after', '\nExample:\n  membership members refund ann@example.com pi_123 --amount 500')
    .action(async (given: string, id: string, { amount, ...flags }: RefundFlags) => {
      const payment = await withSite(flags, async (m) =>
        m.actions.refund({ payment: paymentOf(await memberOf(m, given), id), amount }),
      )
      print(flags, payment, [
        `${payment.id} is ${payment.status}: ${payment.amount_refunded} of ${payment.amount} ${payment.currency ?? ''} given back (minor units).`,
      ])
    })

/** `membership members login-link` */
export const loginLinkCommand = (): Command =>
  common(
    new Command('login-link')
      .description('Print a link that logs a member in, once: to hand over where no mail arrives.')
      .argument('<member>', 'an id or an address'),
  )
    .addHelpText('after', '\nWhoever has the link is the member: hand it over where nobody else reads it.')
    .action(async (given: string, flags: Common) => {
      const link = await withSite(flags, async (m) => m.account.loginLink((await memberOf(m, given)).id))
      print(flags, link, [link.url, `Good for one use until ${shortTime(link.expires_at)} UTC.`])
    })

const paymentOf = (user: User, id: string): Payment => {
  const payment = user.payments().find((one) => one.id === id)
  if (payment) return payment
  throw new MembershipError('ERR_NOT_FOUND', `${user.email ?? user.id} has no payment ${id}.`, {
    action: `membership members show ${user.id} lists them.`,
  })
}

const dateOf = (text: string): Date => {
  const date = new Date(/^\d{4}-\d{2}-\d{2}/.test(text) ? text : Number.NaN)
  if (date.getTime() > Date.now()) return date
  throw new InvalidArgumentError('Give a date to come, such as 2027-01-01.')
}
