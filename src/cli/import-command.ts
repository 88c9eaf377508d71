import { readFileSync, statSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { MembershipError } from '../core/errors.ts'
import {
  exportsOf,
  type Field,
  type FileImported,
  fields,
  type NamedPurchase,
  type ProviderImported,
} from '../memberships/import/index.ts'
import { type Common, common } from './flags.ts'
import { otherLines } from './others.ts'
import { columns, counted, print, progressLine } from './output.ts'
import { withSite } from './site.ts'
import { untilStopped } from './stopping.ts'

/** Fields of a file with purchases. */
const named = ['id', 'email', 'user'] as const
type Named = (typeof named)[number]

interface Flags extends Common {
  provider?: string
  from?: string
  map: Partial<Record<Field | Named, string>>
  gate: Record<string, string>
  dates?: 'mdy' | 'dmy'
  until?: Date
  write?: boolean
  yes?: boolean
}

/** `membership import` */
export function importCommand(): Command {
  return common(new Command('import'))
    .argument('[file]', 'a CSV file: what no provider knows, or with --provider the purchases of a store')
    .option('--provider <key>', 'the provider whose account is taken over')
    .addOption(new Option('--from <system>', 'whose export the file is').choices(Object.keys(exportsOf)))
    .option(
      '--map <field=column>',
      `which column of the file is what: ${fields.join(', ')}; with --provider: ${named.join(', ')}`,
      mapped,
      {},
    )
    .option('--gate <word=plan>', 'what a word in the file opens here: a plan or a price', worded, {})
    .addOption(new Option('--dates <order>', 'how the file writes day and month').choices(['mdy', 'dmy']))
    .option('--until <date>', 'the day until which rows without an end date keep access', dayOf)
    .option('--write', 'write it; without, the report says what would be')
    .option('--yes', 'go on although the provider knows none of the open subscriptions that are here')
    .addHelpText(
      'after',
      '\nNobody is mailed by an import, no address counts as proved by it, and what is here already stays as it is (compare\nmends that). A provider’s, stopped or killed, goes on where it was, for six hours; run twice it changes nothing.\nA word in a file opens what --gate says; of a file of your own, a plan’s or price’s own id, too.\nExits with 0 when everybody was brought, 2 when somebody was not, 1 when it failed or was stopped.' +
        '\nApple and Google list no purchases: give a file with their ids. An address or user id beside it names the member, if the store does not.' +
        '\n\nExamples:\n  membership import --provider stripe\n  membership import --provider stripe --write' +
        '\n  membership import purchases.csv --provider apple --map id=transaction,email=mail --write' +
        '\n  membership import members.csv --map email=Email,price_id=Plan,ends_at=Ends --gate Gold=pro --write' +
        '\n  membership import patrons.csv --from patreon --gate "Gold tier=pro" --json',
    )
    .action(async (file: string | undefined, flags: Flags) => {
      if (file === undefined && flags.provider === undefined)
        throw new MembershipError('ERR_USAGE', 'Say what is imported: a file, or --provider.', {
          action: 'membership import --provider stripe; or: membership import members.csv --from ghost',
        })
      const isMembers = flags.provider === undefined
      const wrong = Object.keys(flags.map).find(
        (field) => !(isMembers ? fields : named).some((known) => known === field),
      )
      if (wrong !== undefined)
        throw new MembershipError('ERR_USAGE', `--map has no field "${wrong}" here.`, {
          action: `Map one of: ${(isMembers ? fields : named).join(', ')}.`,
        })
      await (isMembers ? ofFile(file!, flags) : ofProvider(flags, file))
    })
}

async function ofProvider(flags: Flags, file: string | undefined): Promise<void> {
  const { provider, write, yes } = flags
  const purchases = file === undefined ? undefined : await purchasesIn(file, flags.map)
  const progress = progressLine(flags)
  const result = await untilStopped((finish) =>
    withSite(
      flags,
      (m) =>
        m.operator.import({
          provider: provider!,
          purchases,
          write,
          yes,
          finish,
          onProgress: ({ provider, checked, brought }) =>
            progress.show(`${provider}: ${checked} looked at, ${brought} not here`),
        }),
      { absent: write ? 'make' : 'try' },
    ),
  )
  progress.end()
  print(flags, result, takenOverLines(result))
  if (!result.isWhole) process.exitCode = 1
  else if (result.unmatched.length + result.refused.length > 0) process.exitCode = 2
}

/** Reads the purchases of a file. Without --map, its columns are called like the fields. */
async function purchasesIn(file: string, map: Flags['map']): Promise<NamedPurchase[]> {
  const { columns, rows } = (await import('../core/read-csv.ts')).readCsv(bytesOf(file))
  const columnOf = (field: Named): string => map[field] ?? field
  const missing = named.find((field) => map[field] !== undefined && !columns.includes(columnOf(field)))
  if (missing !== undefined || !columns.includes(columnOf('id')))
    throw new MembershipError('ERR_USAGE', `The file has no column "${columnOf(missing ?? 'id')}".`, {
      action: `Map the columns: --map id=… Its columns are: ${columns.join(', ').slice(0, 500)}`,
    })
  return rows.flatMap(({ cells }) => {
    const of = (field: Named): string | undefined => cells[columnOf(field)] || undefined
    const id = of('id')
    return id === undefined ? [] : [{ id, email: of('email'), user: of('user') }]
  })
}

async function ofFile(path: string, flags: Flags): Promise<void> {
  const { from, map, gate: gates, dates, until, write } = flags
  const file = bytesOf(path)
  const progress = progressLine(flags)
  const result = await withSite(
    flags,
    (m) =>
      m.operator.import({
        file,
        from,
        map,
        gates,
        dates,
        until,
        write,
        onProgress: (done, total) => progress.show(`${done} of ${total} rows`),
      }),
    { absent: write ? 'make' : 'try' },
  )
  progress.end()
  print(flags, result, importedLines(result))
  if (result.refused.length > 0) process.exitCode = 2
}

function bytesOf(path: string): Buffer {
  try {
    // The size is checked first, so that a file above the limit is never read.
    if (statSync(path).size > 2 ** 28) throw new Error('too large')
    return readFileSync(path)
  } catch (cause) {
    throw new MembershipError('ERR_USAGE', `The file "${path}" cannot be read.`, {
      action: 'Give the path of a CSV file.',
      cause,
    })
  }
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at > 0 && at < text.length - 1) return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  throw new InvalidArgumentError('Write name=value.')
}

/** Parses `email=Email,price_id=Plan`; several flags add up. */
function mapped(text: string, before: Flags['map']): Flags['map'] {
  const pairs = text.split(',').map(pairOf)
  const all: readonly string[] = [...fields, ...named]
  const unknown = pairs.find(([field]) => !all.includes(field))
  if (unknown) throw new InvalidArgumentError(`No "${unknown[0]}"; one of: ${all.join(', ')}.`)
  return { ...before, ...Object.fromEntries(pairs) }
}

function worded(text: string, before: Flags['gate']): Flags['gate'] {
  return { ...before, ...Object.fromEntries([pairOf(text)]) }
}

function dayOf(text: string): Date {
  const at = new Date(`${text}T23:59:59.999Z`)
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at.getTime())) return at
  throw new InvalidArgumentError('Give a day, such as 2026-12-31.')
}

/** Report of a provider's import, for people. */
function takenOverLines(result: ProviderImported): string[] {
  const { written, isWhole, checked, brought, matched, made, unmatched, refused } = result
  const rows = unmatched.map((entry) => [
    reasons[entry.reason],
    entry.provider,
    entry.owner,
    entry.email ?? '-',
    entry.living === 0 ? '' : counted(entry.living, 'running subscription'),
  ])
  return [
    ...(refused.length === 0 ? [] : [...columns(refused.map(({ id, reason }) => [id, reason])), '']),
    ...(rows.length === 0 ? [] : [...columns(rows), '']),
    `${counted(checked, 'object')} looked at; ${counted(brought.customers, 'customer')}, ${counted(brought.subscriptions, 'subscription')} and ${counted(brought.money, 'object')} of payments ${written ? 'were' : 'would be'} brought in.`,
    `${counted(matched, 'buyer')} ${written ? 'with' : 'would have'} an account, ${made} of them made by their purchase; ${unmatched.length} ${written ? 'wait' : 'would wait'} for one.`,
    ...otherLines(result.others),
    ...(isWhole ? [] : ['It was stopped: of the rest nothing is known. The same command goes on there.']),
    ...(written ? [] : ['Nothing was written: --write does it.']),
  ]
}

/** Report of a file's import, for people. */
function importedLines({ written, rows, created, granted, unchanged, refused }: FileImported): string[] {
  return [
    ...(refused.length === 0
      ? []
      : [...columns(refused.map((row) => [`line ${row.line}`, row.email ?? '-', row.reason])), '']),
    `${counted(rows, 'row')}: ${counted(created, 'account')} ${written ? 'made' : 'would be made'}, access ${written ? 'given' : 'would be given'} by ${granted}, ${unchanged} with nothing new, ${refused.length} refused.`,
    ...(written ? [] : ['Nothing was written: --write does it.']),
  ]
}

const reasons = {
  no_address: 'the provider names nobody',
  address_unproved: 'an account has the address, unproved',
  second_customer: 'another customer of this address was first',
  no_account: 'nobody has the address',
  left: 'of an account that was deleted',
} as const
