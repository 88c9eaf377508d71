import { Command } from 'commander'
import { featuresOf, type Limit, limitNames } from '../core/access/index.ts'
import { MembershipError } from '../core/errors.ts'
import { closedIn, plainVoice } from '../core/words/index.ts'
import type { MemberPage, User } from '../memberships/members/index.ts'
import type { Membership } from '../site/membership.ts'
import { type Common, common, countUpTo } from './flags.ts'
import { columns, print, shortTime } from './output.ts'
import { moneyOf, type WriteAmount, withSite } from './site.ts'

interface ListFlags extends Common {
  limit: number
  cursor?: string
}

/** `membership members list` */
export function listCommand(): Command {
  return paged(new Command('list').description('List members.')).action((flags: ListFlags) => show(flags))
}

/** `membership members find` */
export function findCommand(): Command {
  return paged(
    new Command('find')
      .description('Find members by a part of their address or name, or by an id of what they bought.')
      .argument('<word>', 'ann, ann@example.com, cus_…, sub_…, pi_…'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  membership members find ann\n  membership members find sub_123 --json',
    )
    .action((q: string, flags: ListFlags) => show(flags, q))
}

function paged(command: Command): Command {
  return common(command)
    .option('--limit <n>', 'how many at most', countUpTo(500), 50)
    .option('--cursor <id>', 'the next page: what the page before named')
}

async function show(flags: ListFlags, q?: string): Promise<void> {
  const page = await withSite(flags, (m) => m.users.list({ q, cursor: flags.cursor, limit: flags.limit }))
  print(flags, page, linesOf(page))
}

function linesOf({ members, next }: MemberPage): string[] {
  return [
    ...(members.length === 0 ? ['No member.'] : []),
    ...columns(
      members.map(({ id, email, email_verified, name, created_at, merged_into }) => [
        id,
        email ?? 'no address',
        email_verified ? '' : 'unproved',
        name ?? '',
        `since ${shortTime(created_at).slice(0, 10)}`,
        merged_into === null ? '' : `merged into ${merged_into}`,
      ]),
    ),
    ...(next === null ? [] : [`→ --cursor ${next}`]),
  ]
}

/** `membership members show` */
export function showCommand(): Command {
  return common(
    new Command('show')
      .description('Show a member: what they bought, what it opens, and why.')
      .argument('<member>', 'an id or an address'),
  )
    .addHelpText('after', '\nExample:\n  membership members show ann@example.com')
    .action(async (given: string, flags: Common) => {
      const shown = await withSite(flags, async (m) => {
        const user = await memberOf(m, given)
        const gates = namesOf(m).map((id) => ({
          ...user.explain(id as never),
          closed: user.whyClosed(id as never),
          paid_time: user.paidTime(id as never),
        }))
        return { user, gates, limits: limitsOf(m, user), money: await moneyOf(flags, m) }
      })
      print(flags, { ...plainOf(shown.user), gates: shown.gates, limits: shown.limits }, whole(shown))
    })
}

/** Returns each plan's id once, even if several providers sell it, then each feature. */
function namesOf(m: Pick<Membership, 'plans'>): string[] {
  return [...new Set([...m.plans().map(({ id }) => id), ...featuresOf(m.plans())])]
}

/** Finds the member by id or address. @throws ERR_NOT_FOUND */
export async function memberOf({ users }: Pick<Membership, 'users'>, given: string): Promise<User> {
  const user = await (given.includes('@') ? users.findByEmail(given) : users.findById(given))
  if (user !== null) return user
  throw new MembershipError('ERR_NOT_FOUND', `No member ${given}.`, {
    action: 'Look for a part of the address or the name: membership members find.',
  })
}

function plainOf(user: User) {
  const { id, email, email_verified, name, roles, language, created_at } = user
  return {
    id,
    email,
    email_verified,
    name,
    roles,
    language,
    created_at,
    subscriptions: user.subscriptions(),
    payments: user.payments(),
    grants: user.grants(),
  }
}

function limitsOf(m: Pick<Membership, 'plans'>, user: User): Limit[] {
  return limitNames(m.plans()).map((name) => user.limit(name as never))
}

type Gate = ReturnType<User['explain']> & {
  readonly closed: ReturnType<User['whyClosed']>
  readonly paid_time: ReturnType<User['paidTime']>
}

function whole({
  user,
  gates,
  limits,
  money,
}: {
  user: User
  gates: readonly Gate[]
  limits: readonly Limit[]
  money: WriteAmount
}): string[] {
  return [
    `${user.email ?? 'no address'}${user.email_verified ? '' : ' (unproved)'}, ${user.name ?? 'no name'}, ${user.id}`,
    '',
    ...section(
      'Gates',
      gates.map(({ gate, reason, by, until, closed, paid_time }) => [
        gate,
        closed === null
          ? `Open: ${[reason, by, until === null ? null : `until ${shortTime(until)}`].filter(Boolean).join(' ')}`
          : closedIn(plainVoice(), closed, new Date(0)),
        paid_time.days === 0 ? '' : `paid or given for ${paid_time.days} days`,
      ]),
    ),
    ...section(
      'Limits',
      limits.map(({ name, amount, used, left, added, resets_at, source }) => [
        name,
        `${used} of ${amount} used`,
        `${left} left`,
        added === 0 ? '' : `${added} of it added`,
        resets_at === null ? '' : `anew from ${shortTime(resets_at)}`,
        source ?? '',
      ]),
    ),
    ...section(
      'Subscriptions',
      user
        .subscriptions()
        .map((s) => [
          s.id,
          s.provider,
          s.status,
          s.price_id ?? '',
          `until ${shortTime(s.current_period_end)}`,
        ]),
    ),
    ...section(
      'Payments',
      user.payments().map((p) => [p.id, p.provider, p.status, money(p.amount, p), shortTime(p.paid_at)]),
    ),
    ...section(
      'Given by hand',
      user
        .grants()
        .map((g) => [
          g.id,
          g.gate,
          g.source,
          g.expires_at === null ? '' : `until ${shortTime(g.expires_at)}`,
        ]),
    ),
  ]
}

function section(title: string, rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [title, ...columns(rows).map((line) => `  ${line}`), '']
}
