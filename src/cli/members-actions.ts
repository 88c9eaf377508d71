import { Command, InvalidArgumentError, Option } from 'commander'
import { featuresOf, isKnownGate } from '../core/access/index.ts'
import type { Payment, Subscription } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { RefundEnd } from '../memberships/checkout/index.ts'
import type { User } from '../memberships/members/index.ts'
import type { Membership } from '../site/membership.ts'
import { type Common, common, countUpTo, nameOf, planned, withName } from './flags.ts'
import { memberOf } from './members-list.ts'
import { notYet, print, shortTime } from './output.ts'
import { moneyOf, withSite } from './site.ts'

interface Named extends Common {
  by?: string
}
interface Planned extends Named {
  write?: boolean
}

interface GrantFlags extends Named {
  until?: Date
  reason?: string
}

/** Adds the flags of a command that acts on a member, with the operator's name for the audit log. */
function actionCommand(command: Command): Command {
  return withName(common(command))
}

/** `membership members grant` */
export function grantCommand(): Command {
  return actionCommand(
    new Command('grant')
      .description('Grant a member access.')
      .argument('<member>', 'an id or an address')
      .argument('<gate>', 'a plan, a feature or a price'),
  )
    .option('--until <date>', 'when it ends; for ever unless given', dateOf)
    .option('--reason <text>', 'the reason, for the log')
    .addHelpText(
      'after',
      '\nExample:\n  membership members grant ann@example.com pro --until 2027-01-01 --reason "prize"',
    )
    .action(async (given: string, gate: string, { until, reason, by, ...flags }: GrantFlags) => {
      const granted = await withSite(flags, async (m) => {
        const features = [...featuresOf(m.plans()), ...Object.keys(m.operator.config.features)]
        if (!isKnownGate(gate, m.plans()) && !features.includes(gate))
          throw new MembershipError('ERR_PLAN_UNKNOWN', `No plan, feature or price is called "${gate}".`, {
            action: `Name one of: ${[...new Set([...m.plans().map(({ id }) => id), ...features])].join(', ')}.`,
          })
        const user = await memberOf(m, given)
        const { id } = user
        const end = until?.toISOString() ?? null
        // An earlier run may have stopped after it granted access.
        const same = user
          .grants()
          .find((item) => item.gate === gate && item.expires_at === end && item.reason === (reason ?? null))
        if (same) return { member_id: id, grant: same.id, gate, until: end }
        const grant = await m.operator.audit.during(
          { by: nameOf({ by }), action: 'grant', memberId: id, subject: gate },
          () => m.users.grant({ memberId: id, gate, reason, expiresAt: until }),
          (made) => ({ grant: made, gate, until: end, reason: reason ?? null }),
        )
        return { member_id: id, grant, gate, until: end }
      })
      const end = granted.until === null ? 'for ever' : `until ${shortTime(granted.until)}`
      print(flags, granted, [
        `${gate} is open for ${given} ${end}.`,
        `→ membership members revoke ${granted.grant} takes it back.`,
      ])
    })
}

/** `membership members revoke` */
export function revokeCommand(): Command {
  return planned(
    actionCommand(
      new Command('revoke')
        .description('Revoke granted access. Without --write, show what would end.')
        .argument('<grant>', 'the id that `grant` and `show` print'),
    ),
  ).action(async (grant: string, { by, write, ...flags }: Planned) => {
    const gate = await withSite(flags, async (m) => {
      const found = await m.users.findGrant(grant)
      if (found === null)
        throw new MembershipError('ERR_NOT_FOUND', `Nothing of this id was given: ${grant}.`, {
          action: 'membership members show MEMBER lists what was.',
        })
      const { member_id: memberId, gate, expires_at: until, revoked_at } = found
      if (!write) return gate
      await m.operator.audit.during(
        {
          by: nameOf({ by }),
          action: 'revoke',
          memberId,
          subject: grant,
          before: { gate, until, revoked_at },
        },
        () => m.users.revoke(grant),
      )
      return gate
    })
    print(
      flags,
      { grant, revoked: write === true },
      write ? [`${grant} opens nothing any more.`] : [`${grant} would open ${gate} no more.`, ...notYet],
    )
  })
}

/** `membership members cancel` */
export function cancelCommand(): Command {
  return planned(
    actionCommand(
      new Command('cancel')
        .description('Cancel a subscription at its provider. Without --write, show what would happen.')
        .argument('<member>', 'an id or an address')
        .argument('<subscription>', 'its id'),
    ),
  )
    .option('--now', 'at once instead of at the end of the paid period; refunds nothing')
    .addHelpText(
      'after',
      '\nExamples:\n  membership members cancel ann@example.com sub_123\n  membership members cancel ann@example.com sub_123 --write',
    )
    .action(async (given: string, subscriptionId: string, flags: Planned & { now?: boolean }) => {
      const when = flags.now ? 'now' : 'period_end'
      const { subscription } = await withSite(flags, async (m) => {
        const user = await memberOf(m, given)
        const own = user.subscriptions().find(({ id }) => id === subscriptionId)
        if (own === undefined) throw notTheirs(given, `subscription ${subscriptionId}`)
        // Refuses whatever the cancellation itself would refuse.
        await m.subscriptions.describe({ action: 'cancel', user, subscriptionId, when })
        if (!flags.write) return { subscription: own }
        return m.operator.audit.during(
          {
            by: nameOf(flags),
            action: 'cancel',
            memberId: user.id,
            subject: subscriptionId,
            before: statusLine(own),
          },
          () => m.subscriptions.cancel({ user, subscriptionId, when }),
          (done) => statusLine(done.subscription),
        )
      })
      const end = subscription.ended_at ?? subscription.cancel_at ?? subscription.current_period_end
      const plan = `${subscription.id} would end ${when === 'now' ? 'now' : shortTime(subscription.current_period_end)}.`
      const lines = flags.write
        ? [`${subscription.id} is ${subscription.status}; it ends ${shortTime(end)}.`]
        : [plan, ...notYet]
      print(flags, subscription, lines)
    })
}

function notTheirs(given: string, what: string): MembershipError {
  return new MembershipError('ERR_NOT_FOUND', `${given} has no ${what}.`, {
    action: `membership members show ${given} lists what there is.`,
  })
}

function statusLine(
  subscription: Pick<Subscription, 'status' | 'cancel_at_period_end' | 'ended_at'> | undefined,
) {
  return (
    subscription && {
      status: subscription.status,
      cancel_at_period_end: subscription.cancel_at_period_end,
      ended_at: subscription.ended_at,
    }
  )
}

interface RefundFlags extends Planned {
  amount?: number
  again?: boolean
  end: RefundEnd
}

/** `membership members refund` */
export function refundCommand(): Command {
  return planned(
    actionCommand(
      new Command('refund')
        .description('Refund a payment in full or in part. Without --write, show what would happen.')
        .argument('<member>', 'an id or an address')
        .argument('<payment>', 'its id'),
    ),
  )
    .option('--amount <minor>', 'in minor units, such as cents', countUpTo(Number.MAX_SAFE_INTEGER))
    .option('--again', 'give the same amount back once more, although it was given back within a day')
    .addOption(
      new Option('--end <when>', 'end the subscription of the payment, too')
        .choices(['now', 'period_end', 'no'])
        .default('no'),
    )
    .addHelpText(
      'after',
      '\nWithout --end the subscription goes on, and is charged at its next renewal.\n\nExamples:\n  membership members refund ann@example.com pi_123\n  membership members refund ann@example.com pi_123 --amount 500 --write\n  membership members refund ann@example.com pi_123 --end now --write',
    )
    .action(async (given: string, id: string, { amount, again, end, by, write, ...flags }: RefundFlags) => {
      const { payment, ended, money } = await withSite(flags, async (m) => {
        const user = await memberOf(m, given)
        const before = paymentOf(user, id)
        const money = await moneyOf(flags, m)
        const ending = await endingOf(m, user, before, end)
        if (!write) return { payment: before, ended: ending, money }
        const name = nameOf({ by })
        const payment =
          !again && (await wasCutOff(m, user.id, before))
            ? before
            : await m.operator.audit.during(
                { by: name, action: 'refund', memberId: user.id, subject: id, before: sumsOf(before) },
                () => m.payments.refund({ payment: before, amount, again }),
                sumsOf,
              )
        // A step of its own in the log: it can fail after the money went back.
        if (ending !== null)
          await m.operator.audit.during(
            {
              by: name,
              action: 'cancel',
              memberId: user.id,
              subject: ending.id,
              before: statusLine(ending),
            },
            () =>
              m.subscriptions.cancel({
                user,
                subscriptionId: ending.id,
                when: end === 'now' ? 'now' : 'period_end',
              }),
            (done) => statusLine(done.subscription),
          )
        return { payment, ended: ending, money }
      })
      const left = payment.amount - payment.amount_refunded
      const goesOn = ended === null && payment.subscription_id !== null && end === 'no'
      const ends = ended === null ? '' : ` ${ended.id} ${write ? 'ends' : 'would end'} ${whenWords[end]}.`
      const stays = goesOn
        ? ` ${payment.subscription_id} goes on: --end now or --end period_end ends it.`
        : ''
      if (!write)
        return print(flags, payment, [
          `Would give back ${money(amount ?? left, payment)} of ${money(left, payment)} that are left of ${payment.id}.${ends}${stays}`,
          ...notYet,
        ])
      print(flags, payment, [
        `${payment.id} is ${payment.status}: ${money(payment.amount_refunded, payment)} of ${money(payment.amount, payment)} given back.${ends}${stays}`,
      ])
    })
}

const whenWords = { now: 'at once', period_end: 'at the end of the paid period', no: '' } as const

/** The running subscription that a refund ends, checked before money moves; null where nothing is to end. */
async function endingOf(
  m: Membership,
  user: User,
  { subscription_id: id }: Payment,
  end: RefundEnd,
): Promise<Subscription | null> {
  if (end === 'no') return null
  const own = user.subscriptions().find((subscription) => subscription.id === id)
  if (own === undefined)
    throw new MembershipError('ERR_USAGE', 'This payment is of no subscription that a refund could end.', {
      action: 'Leave --end out.',
    })
  if (own.ended) return null
  await m.subscriptions.describe({ action: 'cancel', user, subscriptionId: own.id, when: end })
  return own
}

/**
 * Returns true if the last refund of a payment was interrupted after the money went back. The audit log then
 * gets the outcome, and nothing is refunded now. To refund more, run the command again.
 */
async function wasCutOff(m: Membership, memberId: string, payment: Payment): Promise<boolean> {
  const auditLog = await m.operator.audit.list({ member: memberId, limit: 500 })
  const last = auditLog.find(({ action, subject }) => action === 'refund' && subject === payment.id)
  if (last?.outcome !== 'begun') return false
  const then = (last.before as Partial<Payment> | null)?.amount_refunded ?? 0
  if (payment.amount_refunded <= then) return false
  const { by, action, subject, before } = last
  await m.operator.audit.during({ by, action, memberId, subject, before }, async () => payment, sumsOf)
  return true
}

function sumsOf({ status, amount, amount_refunded, currency }: Payment) {
  return {
    status,
    amount,
    amount_refunded,
    currency,
  }
}

/** `membership members login-link` */
export function loginLinkCommand(): Command {
  return actionCommand(
    new Command('login-link')
      .description('Print a link that logs a member in once, for members who get no mails.')
      .argument('<member>', 'an id or an address'),
  )
    .addHelpText('after', '\nAnybody with the link can act as the member. Send it privately.')
    .action(async (given: string, { by, ...flags }: Named) => {
      const link = await withSite(flags, async (m) => {
        const { id: memberId } = await memberOf(m, given)
        return m.operator.audit.during(
          { by: nameOf({ by }), action: 'login-link', memberId },
          () => m.users.loginLink(memberId),
          // The link itself is only for the member.
          ({ expiresAt }) => ({ expires_at: expiresAt }),
        )
      })
      print(flags, link, [link.url, `Good for one use until ${shortTime(link.expiresAt)} UTC.`])
    })
}

/** `membership members email` */
export function emailCommand(): Command {
  return actionCommand(
    new Command('email')
      .description('Change the address of a member who mistyped it and cannot log in.')
      .argument('<id>', 'the member')
      .argument('<new>', 'the address'),
  )
    .addHelpText(
      'after',
      '\nThe address counts as the member’s once a login link that is sent there is opened. Sessions, links and changes of' +
        '\nbefore end. The replaced address gets no mail, and no earlier link takes the account back.' +
        '\n\nExample:\n  membership members email 0f3k2… ann@example.com',
    )
    .action(async (id: string, email: string, { by, ...flags }: Named) => {
      const { base, ...changed } = await withSite(flags, async (m) => {
        const before = { email: (await m.users.findById(id))?.email ?? null }
        const { from, to } = await m.operator.audit.during(
          { by: nameOf({ by }), action: 'email', memberId: id, before },
          () => m.users.setEmail(id, email),
          (changed) => ({ email: changed.to }),
        )
        return { from, to, base: m.operator.config.base_path }
      })
      print(flags, { member_id: id, ...changed }, [
        `${id}: ${changed.from ?? 'no address'} → ${changed.to}`,
        `They log in with it: ${base}/membership/login.`,
      ])
    })
}

function paymentOf(user: User, id: string): Payment {
  const payment = user.payments().find((candidate) => candidate.id === id)
  if (payment) return payment
  throw new MembershipError('ERR_NOT_FOUND', `${user.email ?? user.id} has no payment ${id}.`, {
    action: `membership members show ${user.id} lists them.`,
  })
}

function dateOf(text: string): Date {
  const date = new Date(/^\d{4}-\d{2}-\d{2}/.test(text) ? text : Number.NaN)
  if (date.getTime() > Date.now()) return date
  throw new InvalidArgumentError('Give a date to come, such as 2027-01-01.')
}

interface LimitFlags extends Named {
  add?: number
  take?: number
  until?: Date
  reason?: string
}

/** `membership members limit` */
export function limitCommand(): Command {
  return actionCommand(
    new Command('limit')
      .description('Show how much of a limit a member has used, or correct it.')
      .argument('<member>', 'an id or an address')
      .argument('<limit>', 'its name, such as exports'),
  )
    .option('--add <n>', 'give so much more', countUpTo(1_000_000_000))
    .option('--take <n>', 'take so much, as a use does', countUpTo(1_000_000_000))
    .option('--until <date>', 'when what is added ends; never unless given', dateOf)
    .option('--reason <text>', 'why, for the log; needed for a correction')
    .addHelpText(
      'after',
      '\nExamples:\n  membership members limit ann@example.com exports' +
        '\n  membership members limit ann@example.com exports --add 10 --reason "an outage"' +
        '\n  membership members limit ann@example.com exports --take 2 --reason "counted twice"',
    )
    .action(async (given: string, name: string, { add, take, until, reason, by, ...flags }: LimitFlags) => {
      const amount = (add ?? 0) - (take ?? 0)
      const limit = await withSite(flags, async (m) => {
        const user = await memberOf(m, given)
        if (amount === 0) return user.limit(name as never)
        if (reason === undefined)
          throw new MembershipError('ERR_USAGE', 'A correction needs a reason.', {
            action: 'Say why: --reason "an outage".',
          })
        const who = nameOf({ by })
        return m.operator.audit.during(
          { by: who, action: 'limit', memberId: user.id, subject: name, before: user.limit(name as never) },
          () =>
            m.limits.correct({ memberId: user.id, name, amount, reason, by: who, expiresAt: until ?? null }),
          (after) => ({ ...after, reason }),
        )
      })
      const resets = limit.resets_at === null ? '' : `, anew from ${shortTime(limit.resets_at)}`
      print(flags, limit, [
        `${limit.name}: ${limit.used} of ${limit.amount} used, ${limit.left} left (${limit.added} of it added)${resets}.`,
      ])
    })
}
