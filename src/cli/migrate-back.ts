import { type BringBack, backReasons, bringBack } from '../migrate/back/index.ts'
import { columns, counted, print, withSite } from './site.ts'

/** What `membership migrate --bring-back` is told. */
export interface BackFlags {
  readonly provider: string
  readonly prefix: string
  readonly field?: string
  readonly config?: string
  readonly backup?: string
  readonly write?: boolean
  readonly json?: boolean
}

/** `membership migrate --bring-back`: exits with 2 where somebody will not have in version 1 what version 2 gave. */
export const bringThemBack = async (
  folder: string,
  flags: BackFlags,
  onProgress: (step: string, done: number, all: number) => void,
): Promise<void> => {
  const { provider, prefix, field = provider, backup, write } = flags
  const done = await withSite(flags, (m) =>
    bringBack(folder, {
      facts: { provider, prefix, field },
      site: { storage: m.storage, findMember: m.users.findById },
      ...{ write, backup },
      now: () => new Date(),
      onProgress: (members, all) => onProgress('members', members, all),
    }),
  )
  print(flags, done, linesOf(done))
  if (done.left.length + done.differences.length > 0) process.exitCode = 2
}

const linesOf = ({ written, members, brought, left, differences, backup }: BringBack): string[] => [
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
  ...(backup === null
    ? []
    : [`The files as they were: ${backup}. membership migrate --rollback takes it out again.`]),
  ...(written || brought.length === 0 ? [] : ['Nothing was written. Run the command again with --write.']),
]
