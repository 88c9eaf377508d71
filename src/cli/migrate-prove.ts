import { defaultPastDueDays, durationSeconds } from '../core/duration.ts'
import { MembershipError } from '../core/errors.ts'
import type { SiteFacts } from '../migrate/index.ts'
import {
  type AskOptions,
  differenceKinds,
  type Proof,
  proveAccess,
  proveAsking,
} from '../migrate/prove/index.ts'
import { readSettings } from '../migrate/settings.ts'
import { openRehearsal } from '../site/assembly/rehearsal.ts'
import { columns, counted, plain } from './output.ts'
import { onlyLabel } from './provider-label.ts'
import { siteHere } from './site.ts'

/** Flags of `membership migrate --prove`. */
export interface ProveFlags {
  readonly provider: string
  readonly prefix: string
  readonly field?: string
  readonly json?: boolean
  readonly accept?: string
  readonly ask?: boolean
  readonly config?: string
  readonly account?: string
}

/**
 * `membership migrate --prove`: exits with 2 if a member would gain or lose something that was not accepted.
 */
export async function prove(
  folder: string,
  flags: ProveFlags,
  onProgress: (step: string, done: number, all: number) => void,
): Promise<void> {
  const accepted = new Set((flags.accept ?? '').split(',').filter((name) => name !== ''))
  for (const name of accepted)
    if (!(name in differenceKinds))
      throw new MembershipError('ERR_USAGE', `"${name}" is no difference.`, {
        action: `Name some of: ${Object.keys(differenceKinds).join(',')}`,
      })
  const facts = { provider: flags.provider, prefix: flags.prefix, field: flags.field ?? flags.provider }
  const now = () => new Date()
  const proof = flags.ask
    ? await asked(folder, flags, { facts, now, onProgress })
    : await proveAccess(folder, {
        facts,
        pastDueSeconds: graceSeconds(folder, facts),
        now,
        onProgress: (done, all) => onProgress('accounts', done, all),
      })
  const open = proof.differences.filter(({ kind }) => !accepted.has(kind))
  console.log(
    flags.json ? JSON.stringify({ ...proof, open: open.length }, null, 2) : linesOf(proof, accepted),
  )
  if (open.length > 0) process.exitCode = 2
}

/** Asks the provider with the keys of this folder's configuration; the database is not used. */
async function asked(
  folder: string,
  { provider, config, account }: ProveFlags,
  options: Pick<AskOptions, 'facts' | 'now' | 'onProgress'>,
): Promise<Proof> {
  const site = await openRehearsal(await siteHere({ config }), { now: options.now, env: process.env })
  try {
    return await proveAsking(folder, {
      ...options,
      site,
      account: account ?? onlyLabel(provider, site.config.providers[provider]?.webhook ?? []),
      defaultRole: site.config.members.roles[0] ?? 'member',
    })
  } finally {
    await site.close()
  }
}

/** Returns what the site's files say of `membership.gates.past_due`: the shortest, where they differ. */
function graceSeconds(folder: string, facts: SiteFacts): number {
  const written = readSettings(folder, facts)
    .all.filter(({ path }) => path.join('.') === 'gates.past_due')
    .flatMap(({ number, text }) => durationSeconds(number ?? text ?? '') ?? [])
  return Math.min(...(written.length > 0 ? written : [defaultPastDueDays * 86_400]))
}

function linesOf(proof: Proof, accepted: ReadonlySet<string>): string {
  return [
    `${counted(proof.accounts, 'account')}; ${counted(proof.equal, 'gate')} open as before; ${counted(proof.differences.length, 'difference')}.`,
    ...Object.entries(differenceKinds).flatMap(([kind, why]) => {
      const own = proof.differences.filter((difference) => difference.kind === kind)
      if (own.length === 0) return []
      const rows = own.map(({ account, gate, v1, v2 }) => [account, gate ?? '-', whatOf(v1, v2)])
      return [
        '',
        `${kind}${accepted.has(kind) ? ' (accepted)' : ''}: ${why}`,
        ...columns(rows).map((row) => `  ${row}`),
      ]
    }),
    ...(proof.asked === null
      ? []
      : ['', `${counted(proof.asked.objects, 'object')} of the provider looked at.`]),
    ...(proof.asked?.unmatched ?? []).map(
      ({ owner, email, reason, living }) =>
        `  ${owner}  ${email ?? '-'}  nobody’s: ${reason}${living > 0 ? `, ${living} running` : ''}`,
    ),
    ...(proof.troubles.length === 0 ? [] : ['', 'Accounts with troubles']),
    ...proof.troubles.map(
      ({ account, code, reason, action }) => `  ${account}  ${code}: ${reason} ${action}`,
    ),
  ]
    .map(plain)
    .join('\n')
}

function whatOf(v1: boolean | null, v2: boolean): string {
  return v1 === null
    ? `${v2 ? 'opens' : 'closed'} after; before cannot be told`
    : v1 === v2
      ? 'same'
      : v2
        ? 'gains'
        : 'loses'
}
