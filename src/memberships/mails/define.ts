import type { Speaker } from './speaker.ts'

/** The words of a mail before they are laid out. An empty paragraph is left out. */
export interface Letter {
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly link: { readonly url: string; readonly label: string } | null
}

/** The texts of a mail, each with the placeholders that it may hold beside `{site}`. */
export type MailTexts = Readonly<Record<string, readonly string[]>>

/** Speaks the texts of one mail, and writes days, amounts and spans of time. */
export type MailSpeaker<T extends MailTexts> = Speaker & {
  say<K extends keyof T & string>(key: K, values: Readonly<Record<T[K][number], string>>): string
}

/** One kind of mail: its texts, what it carries, and how its data becomes words. */
export interface MailDefinition<D> {
  readonly texts: MailTexts
  /** Its data has the address of the account, which whoever queues it need not know. */
  readonly linksToAccount: boolean
  /** A member may do without it, and switch such mails off. */
  readonly isCourtesy: boolean
  letter(speaker: Speaker, data: D): Letter
}
/** The data that a kind of mail needs. */
export type DataOf<M> = M extends MailDefinition<infer D> ? D : never

/** Defines a kind of mail. Its texts stand in `templates/mails/{kind}.yml`, by language. */
export const defineMail =
  <D>() =>
  <const T extends MailTexts>(
    kind: string,
    {
      texts,
      linksToAccount = false,
      isCourtesy = false,
      letter,
    }: {
      readonly texts: T
      readonly linksToAccount?: boolean
      readonly isCourtesy?: boolean
      readonly letter: (speaker: MailSpeaker<T>, data: D) => Letter
    },
  ): MailDefinition<D> => ({
    ...{ texts, linksToAccount, isCourtesy },
    letter: (speaker, data) =>
      letter({ ...speaker, say: (key, values) => speaker.text(`${kind}.${key}`, values) }, data),
  })
