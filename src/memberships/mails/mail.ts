import type { DataOf } from './define.ts'
import type { kinds, MailKind } from './kinds/index.ts'

/** The data of each kind of mail. Times are ISO 8601, amounts minor units, addresses http or https. */
export type MailData = { [K in MailKind]: DataOf<(typeof kinds)[K]> }

export type { MailKind } from './kinds/index.ts'

/** A mail ready to send. `to` is one bare address; `to` and `subject` have no line break and no control character. */
export interface Mail {
  /** Stays the same at each attempt to send the mail. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The name of the language file: `de`. */
  readonly language: string
  readonly kind: MailKind
  /** Additional headers, such as `List-Unsubscribe` for optional mails. */
  readonly headers: Readonly<Record<string, string>>
}

/** Hands one mail over, or throws. The host provides it. */
export type Transport = (mail: Mail) => Promise<void>
