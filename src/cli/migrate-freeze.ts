import { type Freeze, freezeSite, unfreezeSite } from '../migrate/freeze/index.ts'
import { print } from './output.ts'

/** Flags of `--freeze` and `--unfreeze`. */
export interface FreezeFlags {
  readonly provider: string
  readonly prefix: string
  readonly write?: boolean
  readonly json?: boolean
  readonly unfreeze?: boolean
}

/** `membership migrate --freeze` and `--unfreeze` */
export function freeze(folder: string, flags: FreezeFlags): void {
  const facts = { provider: flags.provider, prefix: flags.prefix, field: flags.provider }
  const done = flags.unfreeze
    ? unfreezeSite(folder, facts)
    : freezeSite(folder, facts, { write: flags.write === true })
  print(flags, done, flags.unfreeze ? afterwards(done) : linesOf(done))
}

function linesOf({ files, changed, isFrozen, byHand }: Freeze): string[] {
  return [
    ...(isFrozen
      ? [
          `${files.join(', ')} ${changed.length > 0 ? 'answers' : 'answers already with'} webhooks ${changed.length > 0 ? 'with 503 ' : '503 '}now: providers keep them and send them again.`,
          '→ membership migrate --unfreeze takes it out. Upload the file where this folder is a copy.',
        ]
      : files.map(
          (file) => `${file} would answer webhooks with 503. Nothing was changed yet: --write does it.`,
        )),
    ...(byHand.length === 0 ? [] : ['No file of this site decides about it. By hand:']),
    ...byHand.flatMap(({ server, text }) => ['', `${server}:`, ...text.split('\n')]),
  ]
}

function afterwards({ files }: Freeze): string[] {
  return files.length === 0
    ? ['This folder contains nothing that --freeze wrote. Remove by hand what you added by hand.']
    : [
        `${files.join(', ')} takes webhooks again.`,
        '→ membership webhooks pull brings what a provider keeps and does not send again.',
      ]
}
