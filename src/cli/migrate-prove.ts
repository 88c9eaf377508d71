import { MembershipError } from '../core/errors.ts'
import { differenceKinds, type Proof, proveAccess } from '../migrate/prove/index.ts'
import { columns, counted, plain } from './site.ts'

/** What `membership migrate --prove` is told. */
export interface ProveFlags {
  readonly provider: string
  readonly prefix: string
  readonly field?: string
  readonly json?: boolean
  readonly accept?: string
}

/** `membership migrate --prove`: exits with 2 where a member would gain or lose something that was not accepted. */
export const prove = async (
  folder: string,
  flags: ProveFlags,
  onProgress: (step: string, done: number, all: number) => void,
): Promise<void> => {
  const accepted = new Set((flags.accept ?? '').split(',').filter((name) => name !== ''))
  for (const name of accepted)
    if (!(name in differenceKinds))
      throw new MembershipError('ERR_USAGE', `"${name}" is no difference.`, {
        action: `Name some of: ${Object.keys(differenceKinds).join(',')}`,
      })
  const proof = await proveAccess(folder, {
    facts: { provider: flags.provider, prefix: flags.prefix, field: flags.field ?? flags.provider },
    pastDueSeconds: graceDays * 86_400,
    now: () => new Date(),
    onProgress: (done, all) => onProgress('accounts', done, all),
  })
  const open = proof.differences.filter(({ kind }) => !accepted.has(kind))
  console.log(
    flags.json ? JSON.stringify({ ...proof, open: open.length }, null, 2) : linesOf(proof, accepted),
  )
  if (open.length > 0) process.exitCode = 2
}

// The default of `membership.gates.past_due`.
const graceDays = 21

const linesOf = (proof: Proof, accepted: ReadonlySet<string>): string =>
  [
    `${counted(proof.accounts, 'account')}; ${counted(proof.equal, 'gate')} open as before; ${counted(proof.differences.length, 'difference')}.`,
    ...Object.entries(differenceKinds).flatMap(([kind, why]) => {
      const own = proof.differences.filter((one) => one.kind === kind)
      if (own.length === 0) return []
      const rows = own.map(({ account, gate, v2 }) => [account, gate, v2 ? 'gains' : 'loses'])
      return [
        '',
        `${kind}${accepted.has(kind) ? ' (accepted)' : ''}: ${why}`,
        ...columns(rows).map((row) => `  ${row}`),
      ]
    }),
    ...(proof.troubles.length === 0 ? [] : ['', 'Accounts with troubles']),
    ...proof.troubles.map(
      ({ account, code, reason, action }) => `  ${account}  ${code}: ${reason} ${action}`,
    ),
  ]
    .map(plain)
    .join('\n')
