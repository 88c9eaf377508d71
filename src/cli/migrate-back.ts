import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CsvColumns, toCsv } from '../core/dto/csv.ts'
import { MembershipError } from '../core/errors.ts'
import { type BringBack, type ByHand, backReasons, bringBack } from '../migrate/back/index.ts'
import { documentRoot } from '../migrate/index.ts'
import { storageOf } from '../site/assembly/former-names.ts'
import { columns, counted, print } from './output.ts'
import { withSite } from './site.ts'

/** Flags of `membership migrate --bring-back`. */
export interface BackFlags {
  readonly provider: string
  readonly prefix: string
  readonly field?: string
  readonly config?: string
  readonly backup?: string
  readonly write?: boolean
  readonly json?: boolean
  /** File for the list of manual steps. */
  readonly byHand?: string
}

/**
 * `membership migrate --bring-back`: exits with 2 if a member would lose in version 1 what version 2 granted.
 */
export async function bringThemBack(
  folder: string,
  flags: BackFlags,
  onProgress: (step: string, done: number, all: number) => void,
): Promise<void> {
  const { provider, prefix, field = provider, backup, write } = flags
  const done = await withSite(flags, (m) =>
    bringBack(folder, {
      facts: { provider, prefix, field },
      site: { storage: storageOf(m), findMember: m.users.findById },
      write,
      backup,
      mayBeNone: flags.byHand !== undefined,
      now: () => new Date(),
      onProgress: (members, all) => onProgress('members', members, all),
    }),
  )
  const { byHand, ...shown } = done
  const list = flags.byHand === undefined ? null : writeList(folder, flags.byHand, byHand)
  print(flags, { ...shown, by_hand: byHand.length, list }, linesOf(done, list))
  if (done.left.length + done.differences.length > 0) process.exitCode = 2
}

const byHandColumns: CsvColumns<ByHand> = [
  ['member_id', ({ memberId }) => memberId],
  ['email', ({ email }) => email],
  ['account', ({ account }) => account],
  ['do', ({ does }) => does],
  ['gate', ({ gate }) => gate],
  ['bought', ({ bought }) => bought],
  ['until', ({ until }) => until],
  ['why', ({ why }) => why],
]

/** Writes the list so that only this user can read it, because it contains addresses. @throws ERR_USAGE */
function writeList(folder: string, name: string, all: readonly ByHand[]): string {
  const path = resolve(name)
  const shown = documentRoot(resolve(folder))
  if (shown !== null && path.startsWith(`${shown}/`))
    throw new MembershipError('ERR_USAGE', `The web server would show ${name} to everybody.`, {
      action: 'Name a file outside of the document root.',
    })
  const objects = () =>
    all.map((entry) => Object.fromEntries(byHandColumns.map(([name, cell]) => [name, cell(entry)])))
  const text = /\.json$/i.test(path) ? `${JSON.stringify(objects(), null, 2)}\n` : toCsv(byHandColumns, all)
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    throw new MembershipError('ERR_USAGE', `${name} cannot be made, or is there already.`, {
      action: 'Name another file.',
      cause,
    })
  }
  return path
}

function linesOf(
  { written, members, brought, left, differences, byHand, backup }: BringBack,
  list: string | null,
): string[] {
  return [
    ...columns(
      brought.map(({ account, isNew, purchases, subscriptions, removed }) => [
        isNew ? '+' : '~',
        account,
        [
          ...purchases,
          ...subscriptions,
          ...removed.map((price) => `without ${price}, which was given back`),
        ].join(', '),
      ]),
    ),
    ...left.map(({ who, reason }) => `! ${who}: ${reason}`),
    ...differences.map(
      ({ who, gate, kind, v1 }) => `${who}  ${gate ?? '-'}  ${v1 ? 'gains' : 'loses'}: ${backReasons[kind]}`,
    ),
    '',
    `${counted(members, 'member')}: ${counted(brought.length, 'account')} ${written ? 'written' : 'to write'}, ${left.length} left, ${counted(differences.length, 'difference')}.`,
    ...(byHand.length === 0
      ? []
      : [
          list === null
            ? `${counted(byHand.length, 'thing')} to do by hand: --by-hand list.csv (or .json) writes who, what and until when.`
            : `What is to be done by hand, with addresses: ${list}`,
        ]),
    ...(backup === null
      ? []
      : [`The files as they were: ${backup}. membership migrate --rollback takes it out again.`]),
    ...(written || brought.length === 0 ? [] : ['Nothing was written. Run the command again with --write.']),
  ]
}
