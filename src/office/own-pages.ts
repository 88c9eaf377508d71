import type { Context } from 'koa'
import type { Insider } from './office-access.ts'

/** A site's own page in its office. */
export interface OfficePage {
  /** Below `/membership/office/own/`: lower-case letters, digits and dashes. */
  readonly path: string
  /** The title in the menu. */
  readonly title: string
  /** Returns the page's content as markup. The site escapes it itself. */
  readonly render: (request: { readonly ctx: Context; readonly who: Insider }) => string | Promise<string>
}
