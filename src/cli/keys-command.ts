import { Command, InvalidArgumentError } from 'commander'
import type { KeyEntry, Scope } from '../reports/index.ts'
import { actor, type Common, common, planned } from './flags.ts'
import { columns, notYet, print, shortTime } from './output.ts'
import { withSite } from './site.ts'

/** `membership keys …` */
export function keysCommand(): Command {
  return new Command('keys')
    .addHelpText(
      'after',
      '\nPARTNER is an id or an e-mail address; KEY is an id, its last four characters, or the key itself.' +
        '\n\nExamples:\n  membership keys issue index@acme.example --label "build server" --scope read' +
        '\n  membership keys list index@acme.example\n  membership keys rotate key_4f1c\n  membership keys revoke x7Qa',
    )
    .addCommand(issueCommand())
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
}

interface IssueFlags extends Common {
  label?: string
  scope?: Scope[]
  expires?: Date
}

function issueCommand(): Command {
  return common(
    new Command('issue')
      .description('Create a key for a partner. It is shown only once.')
      .argument('<partner>', 'id or e-mail address'),
  )
    .option('--label <text>', 'the purpose of the key')
    .option('--scope <scopes>', 'what it may: read, write or both (default: read,write)', toScopes)
    .option('--expires <day>', 'from when on it opens nothing, UTC (default: never)', toDay)
    .addHelpText(
      'after',
      '\nExamples:\n  membership keys issue index@acme.example' +
        '\n  membership keys issue prt_4f1c --label "build server" --scope read --expires 2027-01-01',
    )
    .action(async (partner: string, { label, scope, expires, ...flags }: IssueFlags) => {
      const options = { label, scopes: scope, expiresAt: expires }
      const { key, entry } = await withSite(flags, (m) => m.reports.keys.issue(partner, options, actor()))
      print(flags, { key, ...entry }, [...once(key), summary(entry)])
    })
}

function listCommand(): Command {
  return common(
    new Command('list')
      .description('List the keys of one partner or of all. The keys themselves are not shown.')
      .argument('[partner]', 'id or e-mail address'),
  )
    .addHelpText('after', '\nExamples:\n  membership keys list\n  membership keys list index@acme.example')
    .action(async (partner: string | undefined, flags: Common) => {
      const keys = await withSite(flags, (m) => m.reports.keys.list(partner))
      const lines = columns(
        keys.map((key) => [
          key.id,
          `…${key.last_four}`,
          stateOf(key, new Date()),
          key.scopes.join(','),
          key.partner_id,
          `used ${shortTime(key.last_used_at)}`,
          key.label ?? '',
        ]),
      )
      print(flags, keys, lines.length > 0 ? lines : ['No keys.'])
    })
}

function rotateCommand(): Command {
  return common(
    new Command('rotate')
      .description('Create a new key with the same rights. The old key works for one more day.')
      .argument('<key>', 'id or last four characters'),
  )
    .addHelpText('after', '\nExamples:\n  membership keys rotate key_4f1c\n  membership keys rotate x7Qa')
    .action(async (name: string, flags: Common) => {
      const { key, entry, oldKeyUntil } = await withSite(flags, (m) => m.reports.keys.rotate(name, actor()))
      print(flags, { key, ...entry, old_key_until: oldKeyUntil }, [
        ...once(key),
        summary(entry),
        `The old key works until ${shortTime(oldKeyUntil)} UTC.`,
      ])
    })
}

function revokeCommand(): Command {
  return planned(
    common(
      new Command('revoke')
        .description('Revoke a key for good. Without --write, show which.')
        .argument('<key>', 'id or last four characters'),
    ),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  membership keys revoke key_4f1c\n  membership keys revoke x7Qa --write',
    )
    .action(async (name: string, { write, ...flags }: Common & { write?: boolean }) => {
      const key = await withSite(flags, (m) =>
        write ? m.reports.keys.revoke(name, actor()) : m.reports.keys.find(name),
      )
      const named = `${key.id} (…${key.last_four}) of ${key.partner_id}`
      print(flags, key, write ? [`Revoked ${named}.`] : [`Would revoke ${named}.`, ...notYet])
    })
}

function once(key: string): string[] {
  return [key, '', 'This key is shown only once, because only its hash is stored. Send it as X-API-KEY.']
}

function summary(key: KeyEntry): string {
  return `${key.id} of ${key.partner_id}: ${key.scopes.join(', ')}; ${key.expires_at === null ? 'never expires' : `expires ${shortTime(key.expires_at)} UTC`}.`
}

function stateOf(key: KeyEntry, now: Date): string {
  if (key.revoked_at !== null) return `revoked ${key.revoked_at.slice(0, 10)}`
  if (key.expires_at === null) return 'works'
  return `${key.expires_at <= now.toISOString() ? 'expired' : 'until'} ${key.expires_at.slice(0, 10)}`
}

// The library checks which scopes exist.
function toScopes(text: string): Scope[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '') as Scope[]
}

function toDay(text: string): Date {
  const day = new Date(`${text}T00:00:00.000Z`)
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text))
    return day
  throw new InvalidArgumentError('Give a day, such as 2027-01-01.')
}
