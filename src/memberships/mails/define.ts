import type { Plan, Subscription } from '../../core/dto/index.ts'
import type { DomainEvent, MemberChanges } from '../hooks/index.ts'
import type { User } from '../members/index.ts'
import type { Speaker } from './speaker.ts'
import type { About, Bought } from './subjects.ts'

/** A text that a person typed. Its line breaks are kept. */
export interface Typed {
  readonly typed: string
}

/** A mail's text before layout. An empty paragraph is left out. */
export interface Letter {
  readonly subject: string
  readonly paragraphs: readonly (string | Typed)[]
  /** Labelled facts, as a table below the paragraphs. A fact without a text is left out. */
  readonly facts?: readonly { readonly label: string; readonly text: string }[]
  readonly link: { readonly url: string; readonly label: string } | null
}

/** A mail's texts, each with its placeholders besides `{site}`. */
export type MailTexts = Readonly<Record<string, readonly string[]>>

/** Words one mail's texts, days, amounts and durations. */
export type MailSpeaker<T extends MailTexts> = Speaker & {
  say<K extends keyof T & string>(key: K, values: Readonly<Record<T[K][number], string>>): string
}

/** A mail that a domain event calls for, before it is queued. */
export interface Notice {
  readonly data: Record<string, unknown>
  /** Identifies the reported event. The same event has the same key, even after a restored backup. */
  readonly key: string
  /** The subscription that the mail is about. `refresh` reads it again when the mail is written. */
  readonly about?: About
  /** The purchase whose order the mail repeats. */
  readonly bought?: Bought | undefined
}

/** The data that `refresh` may read besides the subscription. */
export interface Current {
  /** The data that was queued. */
  readonly data: Record<string, unknown>
  readonly member: User
  readonly plans: readonly Plan[]
  /** ISO 8601, UTC. */
  readonly now: string
}

/** One kind of mail: when it is sent, its texts, its data, and how the data becomes words. */
export interface MailDefinition<D> {
  readonly texts: MailTexts
  /** Chooses the domain events that call for this mail; null where another module queues it. */
  readonly noticeOf:
    | ((event: DomainEvent, changes: MemberChanges, plans: readonly Plan[]) => Notice | null)
    | null
  /**
   * Reads the data again when the mail is written: seconds after the event, or days where a mail server was away.
   * Returns null where it no longer holds, so that the mail is not sent.
   */
  readonly refresh: ((subscription: Subscription, current: Current) => object | null) | null
  /** True if its data includes the account's address, which the sender adds. */
  readonly linksToAccount: boolean
  /** True for an optional mail, which a member can turn off. */
  readonly isCourtesy: boolean
  /** True where a site can leave the mail out, with `membership.mails.kinds`. */
  readonly canBeTurnedOff: boolean
  letter(speaker: Speaker, data: D): Letter
}
/** The data that a kind of mail needs. */
export type DataOf<M> = M extends MailDefinition<infer D> ? D : never

/** Defines a kind of mail. Its texts are in `templates/mails/{kind}.yml`, by language. */
export function defineMail<D>() {
  return <const T extends MailTexts>(
    kind: string,
    {
      texts,
      linksToAccount = false,
      isCourtesy = false,
      canBeTurnedOff = false,
      noticeOf = null,
      refresh = null,
      letter,
    }: Partial<Pick<MailDefinition<D>, 'noticeOf' | 'refresh'>> & {
      readonly texts: T
      readonly linksToAccount?: boolean
      readonly isCourtesy?: boolean
      readonly canBeTurnedOff?: boolean
      readonly letter: (speaker: MailSpeaker<T>, data: D) => Letter
    },
  ): MailDefinition<D> => ({
    texts,
    linksToAccount,
    isCourtesy,
    canBeTurnedOff,
    noticeOf,
    refresh,
    letter: (speaker, data) =>
      letter({ ...speaker, say: (key, values) => speaker.text(`${kind}.${key}`, values) }, data),
  })
}
