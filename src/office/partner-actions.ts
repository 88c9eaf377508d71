import { MembershipError } from '../core/errors.ts'
import type { RelinkResult, ReportsApi, Scope } from '../reports/index.ts'
import { notThere } from './action-subjects.ts'
import type { Plan, TextOf } from './confirming.ts'
import type { Planned } from './planned-action.ts'

type Index = Pick<ReportsApi, 'partners' | 'keys' | 'operator'>

/** The longest list of websites accepted here. The command accepts more. */
export const listCharacters = 60_000

/** The office's actions on partners of the website index, by their names in the address. */
export function partnerActions(index: Index, now: () => Date): ReadonlyMap<string, Plan> {
  return new Map<string, Plan>([
    ['partner-add', addPartner(index)],
    ['key-issue', issueKey(index, now)],
    ['key-rotate', rotateKey(index)],
  ])
}

function addPartner({ partners }: Index): Plan {
  return async ({ text, who }) => {
    const wanted = await partners.check({ name: text('name') ?? '', email: text('email') ?? '' })
    return {
      ...about('partner-add', wanted.email, { name: wanted.name, email: wanted.email }),
      says: [{ key: 'do.partner-add.says', fill: wanted }],
      run: () => partners.add(wanted, actorOf(who.name)),
      after: (partner) => ({ partner: (partner as { id: string }).id }),
      shown: () => ({ key: 'do.partner-add.shown' }),
    }
  }
}

function issueKey({ partners, keys }: Index, now: () => Date): Plan {
  return async ({ text, who }) => {
    const partner = await partners.get(text('partner') ?? '')
    const { scopes, expiresAt } = rightsOf(text, now())
    const [label, expires] = [text('label'), text('expires')]
    const scope = scopes.join(',')
    const says: Planned['says'] = [
      { key: `do.key-issue.${saysOf[scope]}`, fill: { who: partner.name } },
      ...(expires === null ? [] : [{ key: 'do.key-issue.until', fill: { day: expires } }]),
      { key: 'do.key-issue.once' },
    ]
    return {
      ...about('key-issue', partner.id, {
        partner: partner.id,
        scope,
        ...(label === null ? {} : { label }),
        ...(expires === null ? {} : { expires }),
      }),
      says,
      run: () =>
        keys.issue(
          partner.id,
          { scopes, ...(label === null ? {} : { label }), ...(expiresAt === null ? {} : { expiresAt }) },
          actorOf(who.name),
        ),
      after: keyIdOf,
      shown: shownOnce,
    }
  }
}

function rotateKey({ keys }: Index): Plan {
  return async ({ text, who }) => {
    const id = text('key_id')
    const key = (await keys.list()).find((item) => item.id === id && item.revoked_at === null)
    if (key === undefined) throw notThere('key', id)
    return {
      ...about('key-rotate', key.id, { key_id: key.id }),
      says: [{ key: 'do.key-rotate.says', fill: { ending: key.last_four } }, { key: 'do.key-issue.once' }],
      run: () => keys.rotate(key.id, actorOf(who.name)),
      after: keyIdOf,
      shown: shownOnce,
    }
  }
}

/** Links a list of websites to a partner. The preview showed the result of each line. */
export function relinkAction({ partners, operator }: Index): Plan {
  return async ({ text, who }) => {
    const partner = await partners.get(text('partner') ?? '')
    const list = text('list', listCharacters) ?? ''
    return {
      ...about('relink', partner.id, { partner: partner.id, list }),
      says: [],
      run: () => operator.relink(list, partner.id, { write: true, actor: actorOf(who.name) }),
      after: (result) => ({ batch: (result as RelinkResult).batch, ...(result as RelinkResult).counts }),
      shown: (result) => ({
        key: 'do.relink.shown',
        fill: { count: linkedOf(result as RelinkResult), who: partner.name },
      }),
    }
  }
}

/** The number of websites that a list links to a partner. */
export function linkedOf({ counts }: RelinkResult): number {
  return counts.linked + counts.reassigned
}

/** The actor's name in the index's own log. */
export function actorOf(name: string): `operator:${string}` {
  return `operator:${name}`
}

/** The fields of an action without a member. */
export function about(
  action: Planned['action'],
  subject: string,
  fields: Readonly<Record<string, string>>,
): Pick<Planned, 'action' | 'subject' | 'fields' | 'memberId'> {
  return {
    action,
    subject,
    fields,
    memberId: null,
  }
}

/**
 * Reads a key's rights and expiry.
 * @throws ERR_FORM for an unknown right, and for an invalid or past day
 */
function rightsOf(text: TextOf, now: Date): { scopes: Scope[]; expiresAt: Date | null } {
  const scope = text('scope') ?? 'read,write'
  if (scope !== 'read' && scope !== 'write' && scope !== 'read,write')
    throw new MembershipError('ERR_FORM', 'A key may read, write or both.')
  const expires = text('expires')
  const expiresAt = expires === null ? null : new Date(`${expires}T00:00:00.000Z`)
  if (expiresAt !== null && (!/^\d{4}-\d\d-\d\d$/.test(expires!) || !(expiresAt > now)))
    throw new MembershipError('ERR_FORM', 'A key ends on a day that is still to come, such as 2027-12-31.')
  return { scopes: scope.split(',') as Scope[], expiresAt }
}

const saysOf: Readonly<Record<string, string>> = { 'read,write': 'says', read: 'reads', write: 'writes' }

function keyIdOf(made: unknown) {
  return { key: (made as { entry: { id: string } }).entry.id }
}

/** The key is shown on this page only. Its hash is stored. */
function shownOnce(made: unknown) {
  return {
    key: 'do.key-issue.shown',
    label: 'index.key',
    link: (made as { key: string }).key,
  }
}
