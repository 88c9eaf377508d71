/** What a mail says, before it is laid out. An empty paragraph is left out. */
export interface Letter {
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly link: { readonly url: string; readonly label: string } | null
}
