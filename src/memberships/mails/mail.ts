import type { DataOf } from './define.ts'
import type { kinds, MailKind } from './kinds/index.ts'

/** The data of each kind of mail. Times are ISO 8601, amounts minor units, addresses http or https. */
export type MailData = { [K in MailKind]: DataOf<(typeof kinds)[K]> }

export type { MailKind } from './kinds/index.ts'

/** A mail, ready to send: `to` is one bare address, `to` and `subject` hold no line break and no control character. */
export interface Mail {
  /** The same at each attempt to send the same mail. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The name of the language file: `de`. */
  readonly language: string
  readonly kind: MailKind
  /** Headers of the mail beside these: `List-Unsubscribe` for mails that a member may do without. */
  readonly headers: Readonly<Record<string, string>>
}

/** Hands one mail over, or throws. Given by the host. */
export type Transport = (mail: Mail) => Promise<void>
